/** The interface that a Mortise backend implements: it runs scripts and delivers messages. */
module io.mortise.spi {
  requires static transitive org.jspecify;

  exports io.mortise.spi;
}

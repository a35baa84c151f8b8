/** What a Mortise backend implements: running scripts and delivering messages. */
module io.mortise.spi {
  requires static transitive org.jspecify;

  exports io.mortise.spi;
}

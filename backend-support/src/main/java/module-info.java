/** Building blocks for Redis backends, independent of the client. */
module io.mortise.backend.support {
  requires static transitive org.jspecify;
  requires transitive io.mortise.spi;
  requires org.slf4j;

  exports io.mortise.backend.support;
  exports io.mortise.backend.support.cluster;
  exports io.mortise.backend.support.sentinel;
}

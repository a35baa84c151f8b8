/** Meters and observations of locks, for Micrometer. */
module io.mortise.micrometer {
  requires static transitive org.jspecify;
  requires transitive io.mortise.api;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires micrometer.commons;
  requires org.slf4j;

  exports io.mortise.micrometer;
}

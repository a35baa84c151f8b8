/** Methods of Micronaut beans that run under a distributed lock. */
module io.mortise.micronaut {
  requires transitive io.micronaut.micronaut_aop;
  requires transitive io.micronaut.micronaut_inject;
  requires transitive io.mortise.api;
  requires static transitive org.jspecify;
  requires io.micronaut.micronaut_core;
  requires io.mortise.annotations;
  requires jakarta.inject;

  exports io.mortise.micronaut;
}

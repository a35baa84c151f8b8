/** Locks and permits for Project Reactor. */
module io.mortise.reactor {
  requires static transitive org.jspecify;
  requires io.mortise.annotations;
  requires transitive io.mortise.api;
  requires transitive org.reactivestreams;
  requires transitive reactor.core;

  exports io.mortise.reactor;
}

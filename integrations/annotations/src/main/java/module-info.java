/** The logic behind {@code @WithLock}. Internal to the integrations that have the annotation. */
@SuppressWarnings("module") // those that use it are compiled after it
module io.mortise.annotations {
  requires static transitive org.jspecify;
  requires transitive io.mortise.api;
  requires org.slf4j;

  exports io.mortise.annotations.internal to
      io.mortise.cdi,
      io.mortise.micronaut,
      io.mortise.reactor,
      io.mortise.spring;
}

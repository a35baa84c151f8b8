/** A lock provider for ShedLock. */
module io.mortise.shedlock {
  requires static transitive org.jspecify;
  requires static spring.beans;
  requires static spring.boot.autoconfigure;
  requires static spring.context;
  requires static spring.core;
  requires transitive io.mortise.api;
  requires transitive net.javacrumbs.shedlock.core;
  requires org.slf4j;

  exports io.mortise.shedlock;

  opens io.mortise.shedlock to
      spring.beans,
      spring.context,
      spring.core;
}

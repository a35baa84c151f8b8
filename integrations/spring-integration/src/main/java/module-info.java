/** A lock registry for Spring Integration 7. */
module io.mortise.spring.integration {
  requires static transitive org.jspecify;
  requires static spring.beans;
  requires static spring.boot.autoconfigure;
  requires static spring.context;
  requires static spring.core;
  requires transitive io.mortise.api;
  requires transitive spring.integration.core;

  exports io.mortise.spring.integration;

  opens io.mortise.spring.integration to
      spring.beans,
      spring.context,
      spring.core;
}

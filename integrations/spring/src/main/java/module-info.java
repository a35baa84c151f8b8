/** Methods of Spring beans that run under a distributed lock. */
module io.mortise.spring {
  requires io.mortise.annotations;
  requires transitive io.mortise.api;
  requires transitive spring.context;
  requires static transitive org.jspecify;
  requires static org.reactivestreams;
  requires static reactor.core;
  requires static spring.tx;
  requires org.slf4j;
  requires spring.aop;
  requires transitive spring.beans;
  requires transitive spring.core;
  requires spring.expression;

  exports io.mortise.spring;

  opens io.mortise.spring to
      spring.beans,
      spring.context,
      spring.core;
}

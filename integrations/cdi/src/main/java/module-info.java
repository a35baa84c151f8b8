/** Methods of CDI beans that run under a distributed lock. */
module io.mortise.cdi {
  requires static transitive org.jspecify;
  requires io.mortise.annotations;
  requires jakarta.annotation;
  requires transitive io.mortise.api;
  requires transitive jakarta.cdi;
  requires transitive jakarta.interceptor;

  exports io.mortise.cdi;

  opens io.mortise.cdi; // to the container, whose module has another name in each product
}

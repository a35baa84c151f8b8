/** The tests a Mortise backend must pass, and a Redis to run them on. */
module io.mortise.conformance {
  requires static transitive org.jspecify;
  requires transitive io.mortise.api;
  requires transitive io.mortise.spi;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires embedded.redis;
  requires java.management;
  requires static com.github.dockerjava.api;
  requires static testcontainers;
  requires static org.objectweb.asm;

  uses io.mortise.spi.LockBackendProvider;

  exports io.mortise.conformance;
  exports io.mortise.conformance.client;
  exports io.mortise.conformance.cluster;
  exports io.mortise.conformance.lock;
  exports io.mortise.conformance.outside;
  exports io.mortise.conformance.redis;
  exports io.mortise.conformance.spi;

  opens io.mortise.conformance to
      org.junit.platform.commons;
  opens io.mortise.conformance.cluster to
      org.junit.platform.commons;
  opens io.mortise.conformance.spi to
      org.junit.platform.commons;
  opens io.mortise.conformance.outside to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.condition to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.exclusive to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.fault to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.fixture to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.lease to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.permit to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.readwrite to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.forcing to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.granting to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.handoff to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.looking to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.multi to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.redlock to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.service to
      org.junit.platform.commons;
  opens io.mortise.conformance.lock.waiting to
      org.junit.platform.commons;
}

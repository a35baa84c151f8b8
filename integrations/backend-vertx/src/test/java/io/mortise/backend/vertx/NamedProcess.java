package io.mortise.backend.vertx;

import io.mortise.conformance.lock.fixture.RemoteLock;
import java.io.IOException;

/**
 * A process that asks the JVM for the addresses of names. Vert.x asks DNS servers itself, which a
 * test cannot choose.
 */
final class NamedProcess {
  private NamedProcess() {}

  public static void main(String[] args) throws IOException {
    System.setProperty("vertx.disableDnsResolver", "true");
    RemoteLock.main(args);
  }
}

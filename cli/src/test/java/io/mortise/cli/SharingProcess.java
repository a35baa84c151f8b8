package io.mortise.cli;

import io.mortise.conformance.support.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A process that holds the lock by one of the libraries, until it is killed. */
final class SharingProcess implements AutoCloseable {
  private static final String LOCKED = "locked";

  private final Process process;

  private SharingProcess(Process process) {
    this.process = process;
  }

  /** Starts the process, and waits until it holds the lock. */
  static SharingProcess start(RedissonFixture site, String library, String lock, Duration lease)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            System.getProperty("java.class.path"),
            SharingProcess.class.getName(),
            library,
            site.site().uri().toString(),
            site.provider(),
            lock,
            Long.toString(lease.toMillis()));
    SharingProcess sharing =
        new SharingProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    BufferedReader out = sharing.process.inputReader();
    if (!LOCKED.equals(out.readLine())) {
      sharing.kill();
      throw new AssertionError("the process did not lock");
    }
    return sharing;
  }

  /** Kills the process, as a crash does. */
  void kill() {
    process.destroyForcibly();
    Await.until("the process ends", Duration.ofSeconds(60), () -> !process.isAlive());
  }

  @Override
  public void close() {
    kill();
  }

  /**
   * Runs the process.
   *
   * @param args "mortise" or "redisson", URI, provider, lock name, lease in ms
   */
  public static void main(String[] args) throws InterruptedException {
    URI uri = URI.create(args[1]);
    Duration lease = Duration.ofMillis(Long.parseLong(args[4]));
    Lock lock =
        args[0].equals("redisson")
            ? Site.client(uri, lease).getLock(args[3])
            : RedissonFixture.shared(uri, args[2], lease).getLock(args[3]);
    lock.lock();
    System.out.println(LOCKED);
    System.out.flush();
    Thread.sleep(60_000);
  }
}

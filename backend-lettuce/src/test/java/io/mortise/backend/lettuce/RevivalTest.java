package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.SocketAddressResolver;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.LogCapture;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links that end while an attempt to reconnect meets an Error. */
@Tag("ci")
final class RevivalTest {
  private final RedisServer server = RedisServer.start();

  /** How many attempts have failed. */
  private final AtomicInteger failed = new AtomicInteger();

  private volatile boolean broken;

  private final DefaultEventExecutorGroup workers =
      new DefaultEventExecutorGroup(2, task -> new FailingThread(task));

  @AfterEach
  void close() {
    workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    server.close();
  }

  private void failIfBroken(Error failure) {
    if (broken) {
      failed.incrementAndGet();
      throw failure;
    }
  }

  /** A thread that cannot be made at times. */
  private final class FailingThread extends Thread {
    FailingThread(Runnable task) {
      super(task, "worker");
      setDaemon(true);
    }

    @Override
    public void start() {
      failIfBroken(new OutOfMemoryError("unable to create native thread"));
      super.start();
    }
  }

  /** Its Error ends an attempt that has a thread. */
  private final class FailingResolver extends SocketAddressResolver {
    FailingResolver() {
      super(DnsResolvers.UNRESOLVED);
    }

    @Override
    public SocketAddress resolve(RedisURI uri) {
      failIfBroken(new NoClassDefFoundError("some class"));
      return super.resolve(uri);
    }
  }

  private long connections() {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> !line.contains(" cmd=client"))
        .count();
  }

  private static boolean answers(LockBackend backend) {
    try {
      return backend.execute(Fixture.echo("k", "v")).equals(List.of("k", "v"));
    } catch (BackendException e) {
      return false;
    }
  }

  /** Returns the log. */
  private String revives(ClientResources resources) throws Exception {
    LogCapture log = LogCapture.start();
    try (log;
        RedisClient client = RedisClient.create(resources);
        LockBackend backend = LettuceBackend.of(client, RedisURI.create(server.uri()))) {
      broken = true;
      server.command("CLIENT", "KILL", "TYPE", "normal");
      Fixture.await("both links fail", () -> failed.get() >= 2);
      Fixture.await("it is disconnected", () -> !answers(backend));
      broken = false;

      Fixture.await("it is connected again", () -> answers(backend));
      Fixture.await("both links are back", () -> connections() >= 2);
      Thread.sleep(1_500); // attempts that had no thread run now
      assertEquals(2, connections(), "one link of each kind");
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    }
    return log.text();
  }

  private static int count(String words, String log) {
    return log.split(words, -1).length - 1;
  }

  @Test
  @DisplayName("B13: a link is tried again although the thread for that could not be made")
  void withoutThreads() throws Exception {
    String log = revives(ClientResources.builder().eventExecutorGroup(workers).build());

    assertTrue(count("a task of Lettuce could not run", log) <= 2, log);
    assertTrue(log.contains("unable to create native thread"), log);
  }

  @Test
  @DisplayName("B13: a link is tried again although the attempt has met an Error")
  void anErrorInTheAttempt() throws Exception {
    String log =
        revives(ClientResources.builder().socketAddressResolver(new FailingResolver()).build());

    assertFalse(log.isEmpty());
    assertTrue(count("Lettuce has stopped to reconnect", log) <= 4, log);
  }
}

package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.mortise.spi.ChannelListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages after calls have met a replica, while the server's name moves. */
class SubscriberAfterReplicaTest implements ChannelListener {
  private static final Object END = new Object();

  /** A connection to a server that confirms every subscription. */
  private static final class Fake implements Subscriber.Link {
    private final BlockingQueue<Object> said = new LinkedBlockingQueue<>();
    private final boolean replica;
    private volatile boolean ended;

    Fake(boolean replica) {
      this.replica = replica;
    }

    @Override
    public boolean isOpen() {
      return !ended;
    }

    @Override
    public boolean isOfReplica() {
      return replica;
    }

    @Override
    public void send(String... words) {
      if (words[0].equals("SUBSCRIBE")) {
        said.add(List.of("subscribe", words[1]));
      } else {
        said.add("PONG");
      }
    }

    @Override
    public Object read() throws Exception {
      Object next = said.take();
      if (next == END) {
        throw new IOException("closed");
      }
      return next;
    }

    @Override
    public void close() {
      ended = true;
      said.add(END);
    }
  }

  private final List<Fake> made = new CopyOnWriteArrayList<>();
  private final List<String> news = new CopyOnWriteArrayList<>();
  private volatile boolean replica;
  private volatile CountDownLatch door = new CountDownLatch(0);
  private final Subscriber subscriber =
      new Subscriber("test", this::connect, () -> {}, Duration.ofMillis(20));

  private Fake connect() throws InterruptedException {
    Fake next = new Fake(replica);
    made.add(next);
    door.await();
    return next;
  }

  @Override
  public void onSubscribed() {
    news.add("+");
  }

  @Override
  public void onInterrupted(Throwable cause) {
    news.add("-");
  }

  @Override
  public void onMessage(String message) {}

  @BeforeEach
  void subscribe() {
    subscriber.subscribe("c", this);
    awaitLink(1, "+");
  }

  @AfterEach
  void close() {
    door.countDown();
    Threads.end(subscriber.close());
  }

  private void awaitLink(int number, String last) {
    await(
        () -> made.size() == number && !news.isEmpty() && news.get(news.size() - 1).equals(last),
        () -> made.size() + " links, " + news);
  }

  private static void await(BooleanSupplier condition, Supplier<String> what) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertFalse(System.nanoTime() - start > Duration.ofSeconds(20).toNanos(), what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Time in which a link would be made that should not be. */
  private static void pause() {
    LockSupport.parkNanos(Duration.ofMillis(700).toNanos());
  }

  @Test
  @DisplayName("B14: messages connect again with the first call that works after many refusals")
  void afterACallThatWorks() {
    subscriber.worked();
    subscriber.metReplica();
    awaitLink(2, "+");
    for (int i = 0; i < 5; i++) {
      subscriber.metReplica();
    }
    pause();
    assertEquals(2, made.size());

    subscriber.worked();
    subscriber.worked();
    awaitLink(3, "+");
    pause();
    assertEquals(3, made.size());
    assertEquals(List.of("+", "-", "+", "-", "+"), news);
  }

  @Test
  @DisplayName("B14: a link that was being made when a call worked may lead to the old server")
  void whileALinkIsMade() {
    door = new CountDownLatch(1);
    subscriber.metReplica();
    await(() -> made.size() == 2, () -> "no second link");
    subscriber.worked();
    door.countDown();
    awaitLink(3, "+");
    assertFalse(made.get(1).isOpen());
    assertEquals(List.of("+", "-", "+"), news);
  }

  @Test
  @DisplayName("B14: a call that a replica has answered does not end the search for the master")
  void aReplicaThatAnswersCalls() {
    replica = true;
    subscriber.metReplica();
    awaitLink(2, "+");
    subscriber.worked();
    awaitLink(3, "+");
    replica = false;
    await(
        () -> {
          subscriber.use();
          subscriber.worked(); // the first one may come before the link has said what it is
          return made.size() == 4;
        },
        () -> "no fourth link");
    awaitLink(4, "+");
  }
}

package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ChannelsTest {
  private final List<String> sent = new ArrayList<>();
  private final Channels channels =
      new Channels(Runnable::run, name -> send("+" + name), name -> send("-" + name));

  /** The result of the next command. */
  private CompletableFuture<?> answer = CompletableFuture.completedFuture(null);

  private CompletionStage<?> send(String command) {
    sent.add(command);
    return answer;
  }

  private static final class Heard implements ChannelListener {
    final List<String> all = new ArrayList<>();

    @Override
    public void onSubscribed() {
      all.add("subscribed");
    }

    @Override
    public void onMessage(String message) {
      all.add(message);
    }

    @Override
    public void onInterrupted(Throwable cause) {
      all.add("interrupted: " + cause.getMessage());
    }
  }

  private Subscription join(Heard heard) {
    return channels.subscribe("ch", heard);
  }

  @Test
  @DisplayName(
      "B12: all subscriptions of a channel get its messages; the last close unsubscribes once")
  void theLastUnsubscribes() {
    Heard first = new Heard();
    Heard second = new Heard();
    Subscription one = join(first);
    channels.confirmed("ch");
    Subscription two = join(second);
    channels.confirmed("ch");
    channels.message("ch", "m");
    channels.message("other", "not this");
    one.close();
    one.close();
    assertEquals(List.of("+ch", "+ch"), sent);
    two.close();

    assertEquals(List.of("+ch", "+ch", "-ch"), sent);
    assertEquals(List.of("subscribed", "m"), first.all);
    assertEquals(List.of("subscribed", "m"), second.all);
    assertTrue(channels.isEmpty());
  }

  @Test
  @DisplayName("B11: during an UNSUBSCRIBE a confirmation belongs to an older SUBSCRIBE")
  void anOlderConfirmation() {
    join(new Heard()).close();
    Heard heard = new Heard();
    join(heard);
    channels.confirmed("ch");
    assertEquals(List.of(), heard.all);
    channels.left("ch");
    channels.confirmed("ch");

    assertEquals(List.of("subscribed"), heard.all);
  }

  @Test
  @DisplayName("B11: an UNSUBSCRIBE that overtook a SUBSCRIBE is a gap, and it is repeated")
  void anUnsubscribeThatOvertook() {
    Heard heard = new Heard();
    join(heard);
    channels.confirmed("ch");
    channels.left("ch");
    channels.confirmed("ch");

    assertEquals(List.of("+ch", "+ch"), sent);
    assertEquals(List.of("subscribed", "interrupted: unsubscribed", "subscribed"), heard.all);
  }

  @Test
  @DisplayName("B11: a command in flight on a lost connection does not count on the next one")
  void aNewConnection() {
    join(new Heard()).close();
    Heard heard = new Heard();
    join(heard);
    channels.connected();
    channels.confirmed("ch");

    assertEquals(List.of("subscribed"), heard.all);
  }

  @Test
  @DisplayName(
      "A channel that a client subscribes again after the last close is unsubscribed again")
  void aChannelSubscribedAgainByTheClient() {
    join(new Heard()).close();
    channels.left("ch");
    channels.confirmed("ch");

    assertEquals(List.of("+ch", "-ch", "-ch"), sent);
  }

  @Test
  @DisplayName(
      "B11: each gap is reported once, whatever fails meanwhile, and only to its subscriptions")
  void aGapIsReportedOnce() {
    Heard heard = new Heard();
    join(heard);
    channels.confirmed("ch");
    channels.refused("ch", new IOException("of another feed"));
    channels.interrupted(new IOException("cut"));
    channels.refused("ch", new IOException("NOPERM"));
    channels.interrupted(new IOException("cut again"));
    channels.message("ch", "from before");

    assertEquals(List.of("subscribed", "interrupted: cut"), heard.all);
    assertEquals("[ch]", channels.awaited().toString());
  }

  @Test
  @DisplayName("B11: a SUBSCRIBE that cannot be sent is refused, and is sent again")
  void aRefusal() {
    Heard heard = new Heard();
    answer = CompletableFuture.failedFuture(new IOException("NOPERM"));
    join(heard);

    assertEquals(List.of("interrupted: NOPERM"), heard.all);
    assertTrue(channels.askAgain());
    channels.confirmed("ch");
    assertFalse(channels.askAgain());
    assertEquals(List.of("+ch", "+ch"), sent);
  }

  @Test
  @DisplayName(
      "B11: an UNSUBSCRIBE that cannot be sent is not in flight: the next confirmation counts")
  void anUnsubscribeInVain() {
    Subscription first = join(new Heard());
    answer = CompletableFuture.failedFuture(new IOException("not connected"));
    first.close();
    answer = CompletableFuture.completedFuture(null);
    Heard heard = new Heard();
    join(heard);
    channels.confirmed("ch");

    assertEquals(List.of("subscribed"), heard.all);
  }

  @Test
  @DisplayName("B15, B17: a closed subscription gets no events")
  void nothingAfterTheEnd() {
    Heard heard = new Heard();
    join(heard);
    channels.close();
    channels.confirmed("ch");
    channels.message("ch", "m");
    channels.interrupted(new IOException("cut"));

    assertEquals(List.of(), heard.all);
    Heard late = new Heard();
    join(late);
    assertEquals(List.of("interrupted: the backend is closed"), late.all);
    assertEquals(List.of("+ch"), sent);
  }

  @Test
  @DisplayName("B11: a confirmation that arrives while a user leaves and the next joins is not its")
  void confirmationsCrossUsersThatChange() throws Exception {
    BlockingQueue<Runnable> replies = new LinkedBlockingQueue<>();
    ExecutorService writer = Executors.newSingleThreadExecutor();
    CompletableFuture<Channels> made = new CompletableFuture<>();
    Channels crossing =
        new Channels(
            writer,
            name -> replied(replies, () -> made.join().confirmed(name)),
            name -> replied(replies, () -> made.join().left(name)));
    made.complete(crossing);
    Thread reader = new Thread(() -> readAll(replies));
    reader.start();
    Random random = new Random(4711);
    try {
      long end =
          System.nanoTime() + TimeUnit.SECONDS.toNanos(2); // some 20,000 rounds on a quiet machine
      for (int round = 0; System.nanoTime() - end < 0; round++) {
        List<Subscription> leaving = new ArrayList<>();
        for (int i = random.nextInt(20); i >= 0; i--) {
          leaving.add(crossing.subscribe("ch", new Heard()));
        }
        leaving.forEach(Subscription::close);
        Heard heard = new Heard();
        Subscription staying = crossing.subscribe("ch", heard);
        for (int i = 0; i < 2; i++) { // the reader may have given the writer something to send
          CompletableFuture<Void> read = new CompletableFuture<>();
          writer.execute(() -> replies.add(() -> read.complete(null)));
          read.get(1, TimeUnit.MINUTES);
        }
        assertEquals(List.of("subscribed"), heard.all, "round " + round);
        staying.close();
      }
    } finally {
      reader.interrupt();
      writer.shutdownNow();
    }
  }

  private static CompletionStage<?> replied(BlockingQueue<Runnable> replies, Runnable reply) {
    replies.add(reply);
    return CompletableFuture.completedFuture(null);
  }

  private static void readAll(BlockingQueue<Runnable> replies) {
    while (!Thread.currentThread().isInterrupted()) {
      Runnable next = replies.poll();
      if (next == null) {
        Thread.onSpinWait(); // to park would keep it out of step with the writer
      } else {
        next.run();
      }
    }
  }
}

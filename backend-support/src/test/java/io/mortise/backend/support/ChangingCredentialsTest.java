package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.CredentialSuppliers;
import io.mortise.spi.Credentials;
import java.lang.reflect.Field;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When the supplier is asked, and by whom. Its answers come by hand. */
class ChangingCredentialsTest {
  private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> answers = new SynchronousQueue<>();
  private final ChangingCredentials credentials =
      ChangingCredentials.ofClient("the test", this::supply, Duration.ofSeconds(20));
  private final ChangingCredentials.User user = credentials.join("server", () -> {});

  private Credentials supply() {
    try {
      calls.add("call");
      return Credentials.of(answers.take());
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static ChangingCredentials ofServers() {
    BackendConfig config =
        new BackendConfig(
            URI.create("redis://host"),
            Duration.ofSeconds(2),
            "test",
            Map.of(),
            new CredentialSuppliers(() -> Credentials.of("secret"), null));
    return Objects.requireNonNull(ChangingCredentials.ofServers(config));
  }

  private void awaitCall() throws InterruptedException {
    assertEquals("call", calls.poll(20, TimeUnit.SECONDS));
  }

  private void answer(String password) throws InterruptedException {
    assertTrue(answers.offer(password, 20, TimeUnit.SECONDS));
  }

  @AfterEach
  void end() {
    user.close();
  }

  @Test
  @DisplayName("B26: a question during a call gets the next call's answer, with all others")
  void anAnswerIsNeverOlderThanTheQuestion() throws Exception {
    CompletableFuture<Answer> first = credentials.ask();
    awaitCall();
    CompletableFuture<Answer> second = credentials.ask();
    CompletableFuture<Answer> third = credentials.ask();
    answer("old");
    assertEquals("old", first.get().credentials().password());
    assertFalse(second.isDone());
    awaitCall();
    answer("new");
    assertEquals("new", second.get().credentials().password());
    assertEquals(second.get(), third.get());
    assertEquals(0, calls.size());
  }

  @Test
  @DisplayName("B26: an answer that is the same has the same number")
  void theSameAnswerHasTheSameNumber() throws Exception {
    CompletableFuture<Answer> first = credentials.ask();
    answer("a");
    CompletableFuture<Answer> second = ask("a", first);
    CompletableFuture<Answer> third = ask("b", second);
    CompletableFuture<Answer> fourth = ask("a", third);
    assertEquals(first.get(), second.get());
    assertTrue(second.get().number() < third.get().number());
    assertTrue(third.get().number() < fourth.get().number());
    assertEquals(fourth.get(), user.latest());
  }

  private CompletableFuture<Answer> ask(String password, CompletableFuture<Answer> before)
      throws Exception {
    Answer unused = before.get();
    CompletableFuture<Answer> asked = credentials.ask();
    answer(password);
    return asked;
  }

  @Test
  @DisplayName("B17: the end of the last use ends questions, and a late answer counts for nothing")
  void theEndOfTheLastUse() throws Exception {
    CompletableFuture<Answer> asked = credentials.ask();
    awaitCall();
    CompletableFuture<Answer> next = credentials.ask();
    user.close();
    assertThrows(ExecutionException.class, asked::get);
    assertThrows(ExecutionException.class, next::get);
    assertThrows(ExecutionException.class, () -> credentials.ask().get());
    assertEquals(0, user.latest().number());
  }

  @Test
  @DisplayName(
      "B26: a use whose thread could not be started has not begun, and the next one is whole")
  void aUseThatCouldNotBegin() throws Exception {
    ChangingCredentials looked = ofServers();
    Field period = ChangingCredentials.class.getDeclaredField("period");
    period.setAccessible(true);
    Object sound = period.get(looked);
    CountDownLatch atLook = new CountDownLatch(1);
    AtomicInteger looksAtTheFirst = new AtomicInteger();

    period.set(looked, Duration.ZERO); // starting the looks throws, as if there were no thread
    assertThrows(
        RuntimeException.class, () -> looked.join("one", looksAtTheFirst::incrementAndGet));
    assertThrows(ExecutionException.class, () -> looked.ask().get());
    period.set(looked, sound);
    ChangingCredentials.User two = looked.join("two", atLook::countDown);

    assertTrue(atLook.await(20, TimeUnit.SECONDS));
    assertEquals(0, looksAtTheFirst.get());
    two.close();
    assertThrows(ExecutionException.class, () -> looked.ask().get());
  }

  @Test
  @DisplayName("B26: a use that fails at a look is looked at again, and so are the others")
  void aLookThatFails() throws Exception {
    ChangingCredentials looked = ofServers();
    CountDownLatch twice = new CountDownLatch(4);
    Runnable fails =
        () -> {
          twice.countDown();
          throw new NoClassDefFoundError("on purpose");
        };
    ChangingCredentials.User one = looked.join("one", fails);
    ChangingCredentials.User two = looked.join("two", fails);
    assertTrue(twice.await(20, TimeUnit.SECONDS));
    one.close();
    two.close();
  }
}

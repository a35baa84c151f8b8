package io.mortise.backend.support;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A user and a password that change, for the connections of a backend. A new connection asks the
 * supplier. Once a second the supplier is asked for the living ones too, and their owners then let
 * those authenticate again that have older credentials.
 *
 * <p>The supplier is the application's code, so it runs on a thread of its own, one call at a time.
 * A question that comes while a call runs gets the answer of the next call, as all others do. So an
 * answer is never older than the question, and a supplier that hangs holds one thread.
 *
 * <p>The threads run while there are {@linkplain #join users}. Thread-safe.
 */
public final class ChangingCredentials {
  private static final Logger LOG = LoggerFactory.getLogger(ChangingCredentials.class);

  private static final Answer NONE = new Answer(0, Credentials.of(""));

  /**
   * What the supplier has said.
   *
   * @param number larger than that of any earlier answer with another content
   * @param credentials the content
   */
  public record Answer(long number, Credentials credentials) {
    /**
     * Whether a connection should authenticate by this.
     *
     * @param used what it has
     * @return false if it has this or a newer one, or if this stands for no password
     */
    public boolean replaces(Answer used) {
      return used.number < number && !credentials.password().isEmpty();
    }
  }

  private final String name;
  private final Supplier<Credentials> supplier;
  private final Duration longest;
  private final Duration period;
  private final Set<User> users = new CopyOnWriteArraySet<>();

  /** The threads: one that asks, and one that looks. Null without users. */
  private @Nullable List<ScheduledThreadPoolExecutor> threads;

  /** The question that no call of the supplier has begun to answer. */
  private @Nullable CompletableFuture<Answer> next;

  /** The question that a call of the supplier answers. */
  private @Nullable CompletableFuture<Answer> current;

  /** When that call began ({@link System#nanoTime}). */
  private long begun;

  private final AtomicInteger looks = new AtomicInteger();
  private volatile Answer latest = NONE;

  /** Only the look uses it. */
  private boolean complained;

  private ChangingCredentials(
      String name, Supplier<Credentials> supplier, Duration command, Duration period) {
    this.name = name;
    this.supplier = supplier;
    // Less than an attempt to connect may take, so that the message of this class comes first.
    longest = Opening.attempt(command).multipliedBy(3).dividedBy(4);
    this.period = period;
  }

  /**
   * The credentials of the servers with data.
   *
   * @param config a supplier, or none
   * @return null if there is no supplier
   * @throws IllegalArgumentException the URI has a user or password too
   */
  public static @Nullable ChangingCredentials ofServers(BackendConfig config) {
    if (config.credentials().servers() != null && config.uri().toString().contains("@")) {
      throw new IllegalArgumentException(
          "%s has a user or password, and credentials(…) is set too; leave out one of the two"
              .formatted(config.endpoint()));
    }
    return of("credentials(…)", config.credentials().servers(), config);
  }

  /**
   * The credentials of sentinels.
   *
   * @param config a supplier, or none
   * @param properties the properties that say the same, or none if the URI has no sentinels
   * @return null if there is no supplier
   * @throws IllegalArgumentException a property says the same, or the URI has no sentinels
   */
  public static @Nullable ChangingCredentials ofSentinels(
      BackendConfig config, Set<String> properties) {
    if (config.credentials().sentinels() != null && properties.isEmpty()) {
      throw new IllegalArgumentException(
          "%s names no sentinels; leave out sentinelCredentials(…), or write redis-sentinel://host:26379#mymaster"
              .formatted(config.endpoint()));
    }
    for (String each : properties) {
      if (config.credentials().sentinels() != null && config.properties().containsKey(each)) {
        throw new IllegalArgumentException(
            "property '%s' and sentinelCredentials(…) say the same; leave out one of the two"
                .formatted(each));
      }
    }
    return of("sentinelCredentials(…)", config.credentials().sentinels(), config);
  }

  private static @Nullable ChangingCredentials of(
      String option, @Nullable Supplier<Credentials> supplier, BackendConfig config) {
    return supplier == null
        ? null
        : new ChangingCredentials(
            "the supplier of " + option, supplier, config.commandTimeout(), Duration.ofSeconds(1));
  }

  /**
   * The credentials of a client that belongs to the application. Its provider was made to be asked
   * for each connection, and may have to go far for an answer. So it is looked at every ten seconds
   * only.
   *
   * @param name what messages call it
   * @param supplier asks the provider
   * @param command the time of a command
   * @return the credentials
   */
  public static ChangingCredentials ofClient(
      String name, Supplier<Credentials> supplier, Duration command) {
    return new ChangingCredentials(name, supplier, command, Duration.ofSeconds(10));
  }

  /**
   * Begins a use. The first one starts the threads. If it cannot, nothing has begun.
   *
   * @param server the server's address, for the log
   * @param atLook called after each look, that is after the supplier was asked; must be short
   * @return the use, to be closed
   */
  public User join(String server, Runnable atLook) {
    User user = new User(server, atLook);
    synchronized (this) {
      if (threads == null) {
        threads = List.of(Threads.daemons("mortise-credentials", 1), looker());
      }
      users.add(user);
    }
    return user;
  }

  private ScheduledThreadPoolExecutor looker() {
    ScheduledThreadPoolExecutor looker = Threads.daemons("mortise-credentials-looker", 1);
    ScheduledFuture<?> unused =
        looker.scheduleWithFixedDelay(
            this::look, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
    return looker;
  }

  /**
   * Asks the supplier.
   *
   * @return an answer that is not older than this call; it fails with a {@link CredentialFault}
   *     also if the supplier takes too long
   */
  public CompletableFuture<Answer> ask() {
    CompletableFuture<Answer> asked = question();
    return Timeouts.fail(asked.copy(), longest.toNanos())
        .exceptionally(e -> {
          boolean isLate = Causes.of(e) instanceof TimeoutException;
          throw new CompletionException(isLate ? late() : Causes.of(e));
        });
  }

  private CredentialFault late() {
    return new CredentialFault(
        "%s gave no answer within %d ms; let it keep its answer, and get a new one in the background"
            .formatted(name, longest.toMillis()),
        null);
  }

  private synchronized CompletableFuture<Answer> question() {
    if (threads == null) {
      return CompletableFuture.failedFuture(closed());
    }
    if (current != null && System.nanoTime() - begun > longest.toNanos()) {
      return CompletableFuture.failedFuture(late()); // it hangs, and nobody waits for that again
    }
    if (next == null) {
      CompletableFuture<Answer> asked = new CompletableFuture<>();
      threads.get(0).execute(this::answer); // which waits for this method to end
      next = asked;
    }
    return next;
  }

  private static CredentialFault closed() {
    return new CredentialFault("the backend is closed", null);
  }

  private void answer() {
    CompletableFuture<Answer> asked = begin();
    if (asked != null) { // otherwise the last user has left
      answer(asked);
    }
  }

  private synchronized @Nullable CompletableFuture<Answer> begin() {
    current = next;
    next = null;
    begun = System.nanoTime();
    return current;
  }

  private void answer(CompletableFuture<Answer> asked) {
    try {
      Credentials given = supplier.get();
      if (given == null) {
        throw new CredentialFault("it returned null", null);
      }
      asked.complete(end(asked, given));
    } catch (Throwable e) { // an error too: somebody waits
      String said = e instanceof CredentialFault ? e.getMessage() : "it threw " + e;
      String message =
          "%s gave no credentials: %s; let it return the user and password that are valid now"
              .formatted(name, said);
      Answer unused = end(asked, null);
      asked.completeExceptionally(new CredentialFault(message, e));
    }
  }

  /** Ends a call of the supplier. The question is done before, if the last user has left. */
  private synchronized Answer end(CompletableFuture<Answer> asked, @Nullable Credentials given) {
    boolean counts = !asked.isDone();
    if (counts) {
      current = null;
    }
    boolean isNew = latest.number() == 0 || !latest.credentials().equals(given);
    if (counts && isNew && given != null) {
      latest = new Answer(latest.number() + 1, given);
    }
    return latest;
  }

  /** Runs on a thread of its own, which no supplier holds up for longer than it may take. */
  private void look() {
    looks.incrementAndGet();
    try {
      Answer unused = Waits.join(ask());
      if (complained) {
        complained = false;
        LOG.info("{} gives credentials again", name);
      }
    } catch (CompletionException | Error e) { // an error must not end the looks
      if (!complained && !users.isEmpty()) {
        complained = true;
        LOG.warn("{}; open connections keep theirs", Causes.of(e).getMessage(), e);
      }
    }
    users.forEach(User::look);
  }

  /** Somebody whose connections have these credentials. Thread-safe. */
  public final class User implements AutoCloseable {
    private final String server;
    private final Runnable atLook;
    private volatile boolean complained;

    private User(String server, Runnable atLook) {
      this.server = server;
      this.atLook = atLook;
    }

    /** A connection may end meanwhile. Without the catch, nobody would look again. */
    private void look() {
      try {
        atLook.run();
      } catch (RuntimeException | Error e) {
        LOG.debug("{} could not use what {} returned, until the next look", server, name, e);
      }
    }

    /**
     * Asks the supplier, and waits for its answer. Interrupts do not end the wait.
     *
     * @return an answer that is not older than this call
     * @throws CredentialFault there was no answer, or none in time
     */
    public Answer ask() {
      try {
        return Waits.join(ChangingCredentials.this.ask());
      } catch (CompletionException e) {
        throw Causes.of(e) instanceof CredentialFault fault ? fault : e;
      }
    }

    /**
     * The last answer. Connections with an older one should authenticate again.
     *
     * @return without a content before the first answer
     */
    public Answer latest() {
      return latest;
    }

    /**
     * The number of looks at the supplier. A server that refused is asked again after the next.
     *
     * @return a number that grows with each look
     */
    public int looks() {
      return looks.get();
    }

    /**
     * Notes that the server has refused new credentials on a connection that was open.
     *
     * @param error its words
     */
    public void refused(String error) {
      if (!complained) {
        complained = true;
        LOG.warn(
            "{} refused what {} returned: {}; open connections keep what they have, and new ones fail; check that, and what the server's ACL allows that user",
            server,
            name,
            error);
      }
    }

    /** Notes that the server has accepted new credentials on a connection that was open. */
    public void accepted() {
      if (complained) {
        complained = false;
        LOG.info("{} accepts what {} returns", server, name);
      }
    }

    /** Ends the use. The last one ends the threads, and waits at most a second for their end. */
    @Override
    public void close() {
      List<ScheduledThreadPoolExecutor> ended = leave(this);
      ended.forEach(ScheduledThreadPoolExecutor::shutdownNow); // breaks off a supplier
      Threads.end(ended);
    }
  }

  private synchronized List<ScheduledThreadPoolExecutor> leave(User user) {
    List<ScheduledThreadPoolExecutor> ended = new ArrayList<>();
    if (users.remove(user) && users.isEmpty() && threads != null) {
      ended.addAll(threads);
      threads = null;
      for (CompletableFuture<Answer> each : Arrays.asList(next, current)) {
        if (each != null) {
          each.completeExceptionally(closed());
        }
      }
      next = null;
      current = null;
    }
    return ended;
  }
}

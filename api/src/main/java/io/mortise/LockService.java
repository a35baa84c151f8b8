package io.mortise;

import io.mortise.internal.discovery.InstalledProviders;
import io.mortise.internal.lock.ServiceBuilder;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Locks that live in one store. Thread-safe; make one per application and store.
 *
 * <pre>{@code
 * try (LockService locks = LockService.open("redis://localhost:6379")) {
 *   DistributedLock lock = locks.getLock("orders:42");
 *   lock.lock();
 *   try {
 *     // one process at a time
 *   } finally {
 *     lock.unlock();
 *   }
 * }
 * }</pre>
 *
 * <p>A service has one connection, or pool, for commands and one for messages; its handles keep no
 * state until they are used.
 */
public interface LockService extends AutoCloseable {
  /**
   * Opens a service on the one installed backend that serves the URI's scheme.
   *
   * @param uri where the store is: {@code redis://user:secret@host:port/db}, {@code memory:name}
   * @return an open service, which the caller closes
   * @throws NoBackendException no provider fits, or several do; the message lists those seen
   * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
   * @throws IllegalArgumentException the URI is malformed
   */
  static LockService open(String uri) {
    return builder().uri(uri).open();
  }

  /**
   * Opens a service on the named backend.
   *
   * @param uri where the store is
   * @param provider the backend's name: {@code "jedis"}, {@code "lettuce"}, {@code "memory"}
   * @return an open service, which the caller closes
   * @throws NoBackendException the named provider is not there, twice there, or does not fit
   * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
   * @throws IllegalArgumentException the URI is malformed
   */
  static LockService open(String uri, String provider) {
    return builder().uri(uri).provider(provider).open();
  }

  /**
   * Opens a service on a backend made around the caller's own client. From here on the backend is
   * the service's, which closes it, also if it cannot be opened. The client stays the caller's.
   *
   * <pre>{@code
   * try (LockService locks = LockService.of(LettuceBackend.of(client, uri))) {
   *   // the client is as it was when this block ends
   * }
   * }</pre>
   *
   * <p>{@link Builder#sharedBackend} takes a backend that others use too.
   *
   * @param backend an open backend
   * @return an open service, which the caller closes
   * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
   */
  static LockService of(LockBackend backend) {
    return builder().backend(backend).open();
  }

  /**
   * A builder with every option at its default.
   *
   * @return a new builder, not thread-safe
   */
  static Builder builder() {
    return new ServiceBuilder();
  }

  /**
   * Every provider of backends that can be seen from here, usable or not.
   *
   * @return in the order they were found
   */
  static List<ProviderInfo> providers() {
    return InstalledProviders.infos();
  }

  /**
   * The exclusive, reentrant, unfair lock of a name.
   *
   * @param name 1 to 512 bytes of UTF-8; braces only as one <code>{tag}</code>, which then decides
   *     the cluster slot; <code>{foo}</code> is another name of <code>foo</code>
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedLock getLock(String name);

  /**
   * The exclusive, reentrant lock of a name, first come, first served: threads of all processes get
   * it in the order in which they arrived at the store. {@code tryLock()} does not pass those who
   * wait (the JDK's fair lock lets it). Every hand-over goes through the store, so it is slower
   * than {@link #getLock} where many threads of one process contend.
   *
   * <p>It is the same lock as {@link #getLock} of that name: the two exclude each other, and a
   * thread that holds one enters the other. Only who comes by this handle keeps to the order.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  DistributedLock getFairLock(String name);

  /**
   * The exclusive, reentrant, unfair lock of a name, whose holds have fencing tokens. It is the
   * same lock as {@link #getLock} of that name, and costs three commands more inside the script.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  FencedLock getFencedLock(String name);

  /**
   * The read/write lock of a name, first come, first served: many readers or one writer, each side
   * reentrant. It is another lock than {@link #getLock} of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  DistributedReadWriteLock getReadWriteLock(String name);

  /**
   * The semaphore of a name: permits that all processes share, taken as leases, first come, first
   * served. It shares nothing with a lock of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedSemaphore getSemaphore(String name);

  /**
   * The count-down latch of a name: set once, counted down and waited for by all processes. It
   * shares nothing with a lock of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedCountDownLatch getCountDownLatch(String name);

  /**
   * Who this service is in the store: host, process and a random part. The first part of the id of
   * every acquisition.
   *
   * @return without a colon
   */
  String clientId();

  /**
   * Closes the service in good order: from now on nothing can be acquired, and those who wait get a
   * {@link LockServiceClosedException}. What is held stays held and renewed, and can be released,
   * extended, looked at and entered again by its thread. When the last hold has ended, or the time
   * is over, the rest is as {@link #close()}.
   *
   * <p>The calling thread's own holds, those of dead threads, and leases that nobody refers to any
   * more are not waited for. An interrupt ends the wait and is kept; so does {@code close()} by
   * another thread.
   *
   * @param patience how long to wait for holds to be released; zero or less: not at all
   * @return whether all that was waited for was released in time
   */
  boolean close(Duration patience);

  /**
   * Rejects new work, wakes waiters with {@link LockServiceClosedException}, stops renewal. Leases
   * and permits that are bound to no thread are given back; their holders are told of the loss
   * first. What threads still hold ends with its lease and is logged. Closes the backend, unless it
   * is a {@linkplain Builder#sharedBackend shared} one. Idempotent.
   */
  @Override
  void close();

  /**
   * Options of a service, set once each: a second call of a setter throws {@link
   * IllegalStateException} with both values. Not thread-safe.
   */
  interface Builder {
    /**
     * Where the store is.
     *
     * @param uri its scheme selects the backend
     * @return this
     * @throws IllegalArgumentException the URI is malformed
     */
    Builder uri(String uri);

    /**
     * Which of the installed backends to use, where several serve the scheme.
     *
     * @param name the provider's name
     * @return this
     */
    Builder provider(String name);

    /**
     * A backend made by the caller, instead of a URI. From {@link #open} on it is the service's,
     * which closes it, also if {@code open} fails. The client in it stays the caller's.
     *
     * @param backend an open backend
     * @return this
     */
    Builder backend(LockBackend backend);

    /**
     * A backend that others use too, instead of a URI: further services, a {@link KeyGuard}. It
     * stays the caller's to close, after them.
     *
     * @param backend an open backend
     * @return this
     */
    Builder sharedBackend(LockBackend backend);

    /**
     * The lease of holds without an explicit one, renewed at a third.
     *
     * @param lease at least 100 ms, at most 10,000 days; default 30 s
     * @return this
     */
    Builder leaseTime(Duration lease);

    /**
     * The longest a renewed hold may last; then it is reported lost.
     *
     * @param limit at least the lease time; default none
     * @return this
     */
    Builder maxHold(Duration limit);

    /**
     * The time one command may take, the wait for a connection included.
     *
     * @param timeout at least 10 ms, at most a third of the lease time; default 2 s or a third of
     *     the lease time, whichever is shorter
     * @return this
     */
    Builder commandTimeout(Duration timeout);

    /**
     * What every key and channel begins with. Of two prefixes on one store neither should begin
     * with the other.
     *
     * @param prefix 1 to 128 bytes without braces, which do not end in a word that the keys of
     *     another prefix go on with, such as {@code mortise:rw:}; default {@code mortise:}
     * @return this
     * @throws IllegalArgumentException it cannot be a prefix
     */
    Builder keyPrefix(String prefix);

    /**
     * How often threads of this service pass a lock on among themselves before other services get
     * their turn.
     *
     * @param limit per remote acquisition; 0 turns it off; default 64
     * @return this
     */
    Builder handOffLimit(int limit);

    /**
     * Whether to interrupt the thread whose lease is lost.
     *
     * @param interrupt default false
     * @return this
     */
    Builder interruptOnLoss(boolean interrupt);

    /**
     * Whether {@link LockService#getLock} of a name is the same lock as {@code getLock} of that
     * name in Redisson, for the time in which both libraries are in use: they exclude and wake each
     * other. Such a service has no other kind of lock, since those would not exclude Redisson's;
     * and its locks are others than those of a service without this option. As in Redisson, <code>
     * foo</code> and <code>{foo}</code> are then two locks. See {@code
     * docs/migrating-from-redisson.md}.
     *
     * @param interop default false
     * @return this
     */
    Builder redissonInterop(boolean interop);

    /**
     * Whether a thread to which a lock is granted is inside as soon as it hears of it, and asks the
     * store to confirm that half a second later. Without this option it asks first, which costs a
     * round trip for every hand-over between services; with it, shorter sections cost none.
     *
     * <p>What it costs: a hold that is not confirmed within three seconds is lost, as any whose
     * lease is over, so an outage right after a hand-over may end it. And until the confirmation
     * the end of the lease is known by the server's clock: a step of that clock within the seconds
     * before the grant, or a failover in them to a server whose clock differs, may let it end too
     * late, by no more than the message was on its way. It changes nothing for fenced locks, red
     * locks, leases that are bound to no thread, fixed leases, semaphores and latches.
     *
     * @param start default false
     * @return this
     */
    Builder startOnGrant(boolean start);

    /**
     * Runs listeners. Never a client's I/O thread.
     *
     * @param executor stays the caller's; default: one daemon thread of the service, so that
     *     listeners hear of events in their order
     * @return this
     */
    Builder executor(Executor executor);

    /**
     * Told of every acquisition, release and lease change of this service.
     *
     * @param listener its first two methods run on the caller's thread
     * @return this
     */
    Builder listener(LockListener listener);

    /**
     * Opens the service: finds or takes the backend, and checks with one script that the store
     * allows every command and the channel that locks need.
     *
     * @return an open service, which the caller closes
     * @throws IllegalStateException neither a URI nor a backend was given, or both
     * @throws IllegalArgumentException the options do not fit each other
     * @throws NoBackendException no provider fits, or several do
     * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
     */
    LockService open();
  }
}

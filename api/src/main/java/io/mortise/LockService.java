package io.mortise;

import io.mortise.internal.discovery.InstalledProviders;
import io.mortise.internal.lock.ServiceBuilder;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A source of locks that live in one store. Thread-safe. Open one per application and store.
 *
 * <pre>{@code
 * try (LockService locks = LockService.open("redis://localhost:6379")) {
 *   DistributedLock lock = locks.getLock("orders:42");
 *   lock.lock();
 *   try {
 *     // one thread of all processes at a time
 *   } finally {
 *     lock.unlock();
 *   }
 * }
 * }</pre>
 *
 * <p>A service has one connection or pool for commands, and one connection for messages. Its
 * handles keep no state. Each method refuses a name that {@link #getLock} refuses. A closed service
 * throws {@link LockServiceClosedException} where a method gives a handle or asks the store.
 */
public interface LockService extends AutoCloseable {
  /**
   * Opens a service on the only installed backend that serves the URI's scheme.
   *
   * @param uri the store's address: {@code redis://user:secret@host:port/db}, {@code memory:name},
   *     or one with {@code redis-cluster} or {@code redis-sentinel} ({@code docs/configuration.md})
   * @return an open service, which the caller closes
   * @throws NoBackendException no provider fits, or several do
   * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
   * @throws IllegalArgumentException the URI is malformed
   */
  static LockService open(String uri) {
    return builder().uri(uri).open();
  }

  /**
   * As {@link #open(String)}, on the backend with that name.
   *
   * @param uri the store's address
   * @param provider its name: {@code "jedis"}, {@code "lettuce"}, {@code "vertx"}, {@code "memory"}
   * @return an open service, which the caller closes
   * @throws NoBackendException that provider is not installed, installed twice, or does not fit
   */
  static LockService open(String uri, String provider) {
    return builder().uri(uri).provider(provider).open();
  }

  /**
   * Opens a service on a backend made around the caller's own client, such as {@code
   * LettuceBackend.of(client, uri)}. The service owns it, as {@link Builder#backend} says.
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
   * Lists every provider of backends that this process can see, usable or not.
   *
   * @return the providers in the order in which they were found
   */
  static List<ProviderInfo> providers() {
    return InstalledProviders.infos();
  }

  /**
   * The exclusive, reentrant, unfair lock of a name.
   *
   * @param name 1 to 512 bytes of UTF-8; braces only as one <code>{tag}</code>, which then decides
   *     the hash slot; <code>{foo}</code> is another name of the lock <code>foo</code>
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedLock getLock(String name);

  /**
   * The same lock as {@link #getLock} of that name, first come, first served: threads of all
   * processes get it in the order in which they arrived at the store. {@code tryLock()} does not
   * overtake the queue, unlike that of the JDK's fair lock. Every release goes through the store.
   * So it is slower where many threads of one process contend. Only acquisitions through this
   * handle keep the order. A thread that holds the lock by one handle may lock the other.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  DistributedLock getFairLock(String name);

  /**
   * The same lock as {@link #getLock} of that name, whose holds have fencing tokens. An acquisition
   * costs three more commands in the script.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  FencedLock getFencedLock(String name);

  /**
   * The read/write lock of a name, first come, first served: many readers or one writer, each side
   * reentrant. It is another lock than {@link #getLock} of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  DistributedReadWriteLock getReadWriteLock(String name);

  /**
   * The semaphore of a name: permits that all processes share, first come, first served. They are
   * taken as leases. It shares nothing with a lock of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   */
  DistributedSemaphore getSemaphore(String name);

  /**
   * The semaphore of a name, with that many permits. It sets the number where the store has none,
   * as {@link DistributedSemaphore#trySetPermits} does, in one command. If the store forgets it,
   * only another call of this method sets it again.
   *
   * @param name as for {@link #getLock}
   * @param permits at least 1
   * @return a handle of a semaphore that had so many permits when the store answered
   * @throws IllegalArgumentException as for {@link #getLock}, or the number is not positive
   * @throws IllegalStateException the store has another number, which stays; {@link
   *     DistributedSemaphore#resize} changes it
   * @throws LockException as the other methods of a semaphore that ask the store
   */
  DistributedSemaphore getSemaphore(String name, int permits);

  /**
   * The count-down latch of a name, which all processes share. Its count is set once. It shares
   * nothing with a lock of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   */
  DistributedCountDownLatch getCountDownLatch(String name);

  /**
   * The holds of this service at this moment, the oldest first: of threads, of leases, and of
   * permits. A lock of several locks appears by its members. A hold that one thread has just handed
   * off to the next is absent until that thread runs. It sends no command.
   *
   * @return a snapshot; empty if the service is closed
   */
  List<HoldInfo> holds();

  /**
   * The attempts of this service that wait at this moment, the longest waiting first: those that
   * {@link LockListener#waiting} was told of. It sends no command.
   *
   * @return a snapshot; empty if the service is closed
   */
  List<WaitInfo> waits();

  /**
   * Finds locks and semaphores of all processes that are held in the store. It walks through all
   * keys of the store in many short read-only commands. So it is for people who look what is going
   * on, and not for the course of locking. If the name is known, {@link #status} does not walk.
   *
   * <p>The answer is no snapshot: a lock that is acquired or released meanwhile may be in it or
   * not. If a slot of a cluster moves meanwhile, so may its locks, or the search fails. It has the
   * names of this service's key prefix, but no latches, which nobody holds.
   *
   * @param pattern a pattern of whole names, up to 1,024 characters: {@code *} is any text, {@code
   *     ?} one character, and all others are themselves, as is each behind a backslash
   * @param limit after how many locks the search ends, at least 1
   * @return the locks, sorted by name; of a read/write lock each side that is held
   * @throws IllegalArgumentException the pattern is empty, too long, or ends in a backslash, or the
   *     limit is below 1
   * @throws BackendUnavailableException the store cannot be reached, or refuses {@code SCAN}
   * @throws OutcomeUnknownException the store did not answer
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  List<LockStatus> find(String pattern, int limit);

  /**
   * Finds the holders and the waiters of one name, in all processes. It asks for each kind by its
   * own keys, in at most four read-only commands that are sent together.
   *
   * @param name the name of a lock, a read/write lock or a semaphore; a latch has no holder
   * @return what is held of them, sorted by kind; of a read/write lock each side that is held; with
   *     {@link Builder#redissonInterop} the shared lock and the semaphore
   * @throws BackendUnavailableException the store cannot be reached
   * @throws OutcomeUnknownException the store did not answer
   */
  List<LockStatus> status(String name);

  /**
   * The id of this service in the store: host, process and a random part, without a colon.
   *
   * @return the first part of every acquisition id
   */
  String clientId();

  /**
   * Closes the service in good order. From now on nothing can be acquired, and all waiters get a
   * {@link LockServiceClosedException}. Holds stay held and renewed. A thread may release, extend
   * and look at its hold, and lock again. When the last hold has ended or the time is over, this
   * method closes as {@link #close()} does.
   *
   * <p>It does not wait for the calling thread's own holds, for holds of dead threads, or for
   * leases that nothing refers to any more. An interrupt ends the wait, and the flag stays set.
   * {@code close()} by another thread ends the wait too.
   *
   * @param patience the longest time to wait for holds to be released; none if not positive
   * @return whether all holds that it waited for were released in time
   */
  boolean close(Duration patience);

  /**
   * Closes the service at once. It refuses new work, wakes waiters with {@link
   * LockServiceClosedException}, and stops renewal. Leases and permits are reported lost and then
   * given back. A hold of a thread ends with its lease, and the log lists it. The backend is closed
   * too, unless it is a {@linkplain Builder#sharedBackend shared} one. Idempotent.
   */
  @Override
  void close();

  /**
   * The options of a service. Each but {@link #property}, {@link #wrapBackend} and {@link
   * #listener} is set once: a second call throws {@link IllegalStateException} with both values. A
   * wrong value is an {@link IllegalArgumentException}. Not thread-safe.
   */
  interface Builder {
    /**
     * Sets the store's address.
     *
     * @param uri as for {@link LockService#open(String)}; its scheme selects the backend
     * @return this
     */
    Builder uri(String uri);

    /**
     * Adds a setting of the backend that {@link #uri} opens. May be called for several names.
     *
     * @param name a name that the backend's provider knows, such as {@code sentinel.password}
     * @param value the value; a secret, which appears in no message
     * @return this
     */
    Builder property(String name, String value);

    /**
     * Sets a supplier of user and password for {@link #uri}, which then has none. A thread of the
     * backend asks it for each new connection and about once a second, one call at a time. So it
     * should answer from memory. Open connections authenticate again when its answer has changed.
     *
     * @param supplier returns the same until there is something new; may throw while it has nothing
     * @return this
     */
    Builder credentials(Supplier<Credentials> supplier);

    /**
     * Sets the same for sentinels, which have users of their own.
     *
     * @param supplier as for {@link #credentials}
     * @return this
     */
    Builder sentinelCredentials(Supplier<Credentials> supplier);

    /**
     * Selects one of the installed backends, where several serve the scheme.
     *
     * @param name the provider's name
     * @return this
     */
    Builder provider(String name);

    /**
     * Sets a backend made by the caller, instead of a URI. From {@link #open} on the service owns
     * it and closes it, also if {@code open} fails. The caller closes the client in it.
     *
     * @param backend an open backend
     * @return this
     */
    Builder backend(LockBackend backend);

    /**
     * Sets a backend that has other users too, such as a second service or a {@link KeyGuard},
     * instead of a URI. The caller closes it after all of them.
     *
     * @param backend an open backend
     * @return this
     */
    Builder sharedBackend(LockBackend backend);

    /**
     * Puts a wrapper around the backend, however it was given, for example to time its commands.
     * May be called several times. A later wrapper gets what an earlier one returned. The service
     * closes the outermost one, unless it is around a {@link #sharedBackend}.
     *
     * @param wrapper gets an open backend once, and returns one that forwards all calls to it, such
     *     as a {@link io.mortise.spi.ForwardingBackend}
     * @return this
     */
    Builder wrapBackend(UnaryOperator<LockBackend> wrapper);

    /**
     * Sets the lease of holds without an explicit lease. They are renewed at a third of it.
     *
     * @param lease at least 100 ms, at most 10,000 days; default 30 s
     * @return this
     */
    Builder leaseTime(Duration lease);

    /**
     * Limits how long a renewed hold may last. Then it is reported lost.
     *
     * @param limit at least the lease time, at most 10,000 days; default no limit
     * @return this
     */
    Builder maxHold(Duration limit);

    /**
     * Sets the time that one command may take, including the wait for a connection.
     *
     * @param timeout 10 ms to a third of the lease time; default 2 s, or that third if shorter
     * @return this
     */
    Builder commandTimeout(Duration timeout);

    /**
     * Sets the beginning of every key and channel. Of two prefixes on one store, neither should
     * begin with the other. One that leads into the keys of another is refused, such as {@code
     * mortise:rw:} ({@code docs/configuration.md}).
     *
     * @param prefix 1 to 128 {@code char} values without braces; default {@code mortise:}
     * @return this
     */
    Builder keyPrefix(String prefix);

    /**
     * Limits how often this service passes a lock on inside before other services get it. Threads
     * and leases hand it off, and readers join a hold. In any case that ends within 1 s of the
     * acquisition from the store ({@code docs/configuration.md}).
     *
     * @param limit the hand-offs per acquisition; 0 turns them off; default no limit but that time.
     *     Fenced locks are handed off at most 64 times
     * @return this
     */
    Builder handOffLimit(int limit);

    /**
     * Lets this process keep a plain lock after {@code unlock()}, so that its next thread locks it
     * without a command. It goes back as soon as another service wants it and no thread is inside.
     * Other kinds of lock, leases and fixed leases are not kept. {@code docs/retained-locks.md} has
     * the price: another process waits longer, {@code isLocked()} and {@code holder()} see the lock
     * as held, and a process that crashes keeps it until its lease ends.
     *
     * @param longest the time since the acquisition from the store after which it goes back in any
     *     case, at most half of the lease time; default zero, which keeps nothing
     * @return this
     */
    Builder retain(Duration longest);

    /**
     * Sets whether a thread is interrupted when its hold is lost.
     *
     * @param interrupt default false
     * @return this
     */
    Builder interruptOnLoss(boolean interrupt);

    /**
     * Sets whether the last wait of a deadlock fails, as {@code docs/deadlocks.md} explains.
     *
     * @param breaks default false
     * @return this
     */
    Builder breakDeadlocks(boolean breaks);

    /**
     * Sets whether {@link LockService#getLock} of a name is Redisson's lock of that name ({@code
     * docs/migrating-from-redisson.md}). Such a service has no fair, fenced and read/write locks.
     *
     * @param interop default false
     * @return this
     */
    Builder redissonInterop(boolean interop);

    /**
     * Makes a hold begin, and its lease last longer, only when replicas of the server have it too.
     * An acquisition that too few confirm is given back and fails with {@link
     * NotReplicatedException}. A renewal that too few confirm makes the hold {@link
     * LeaseState#SUSPECT}. Releases do not wait. {@code docs/operating.md} has the limits.
     *
     * @param replicas how many replicas must confirm, at least 1; default: none
     * @param wait how long to wait for them, from 1 ms to less than half of the command timeout
     * @return this
     */
    Builder replicaAcks(int replicas, Duration wait);

    /**
     * Sets the executor of listeners and futures. On a client's I/O thread they run only if it runs
     * tasks in place, and must not block there. If it throws, a thread of this library runs them.
     * If it drops one, a future never completes, and its lease is renewed until garbage collection.
     *
     * @param executor the caller shuts it down; default: one daemon thread, which keeps their order
     * @return this
     */
    Builder executor(Executor executor);

    /**
     * Adds a listener, told after those before it. None notices what another throws.
     *
     * @param listener {@link LockListener} says on which threads it is told
     * @return this
     */
    Builder listener(LockListener listener);

    /**
     * Opens the service. It finds the backend or takes the given one. With one script it checks
     * that the store allows every command and channel that locks need.
     *
     * @return an open service, which the caller closes
     * @throws IllegalStateException neither a URI nor a backend was given, or both
     * @throws IllegalArgumentException the options do not fit each other
     * @throws UnsupportedOperationException the backend has no replicas for {@link #replicaAcks}
     * @throws NoBackendException no provider fits, or several do
     * @throws BackendUnavailableException the store cannot be reached, or refuses what locks need
     */
    LockService open();
  }
}

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
 * A source of locks that live in one store. Thread-safe. Open one service per application and
 * store.
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
 * handles keep no state.
 */
public interface LockService extends AutoCloseable {
  /**
   * Opens a service on the only installed backend that serves the URI's scheme.
   *
   * @param uri the store's address: {@code redis://user:secret@host:port/db}, {@code memory:name},
   *     or one with {@code redis-cluster} or {@code redis-sentinel} ({@code docs/configuration.md})
   * @return an open service, which the caller closes
   * @throws NoBackendException no provider fits, or several do; the message lists all that were
   *     seen
   * @throws BackendUnavailableException the store cannot be reached, or refuses a command that
   *     locks need
   * @throws IllegalArgumentException the URI is malformed
   */
  static LockService open(String uri) {
    return builder().uri(uri).open();
  }

  /**
   * Opens a service on the backend with that name.
   *
   * @param uri the store's address, as for {@link #open(String)}
   * @param provider its name: {@code "jedis"}, {@code "lettuce"}, {@code "vertx"}, {@code "memory"}
   * @return an open service, which the caller closes
   * @throws NoBackendException that provider is not installed, installed twice, or does not fit
   * @throws BackendUnavailableException the store cannot be reached, or refuses a command that
   *     locks need
   * @throws IllegalArgumentException the URI is malformed
   */
  static LockService open(String uri, String provider) {
    return builder().uri(uri).provider(provider).open();
  }

  /**
   * Opens a service on a backend made around the caller's own client, such as {@code
   * LettuceBackend.of(client, uri)}. From now on the service owns the backend and closes it, also
   * if opening fails. The caller keeps and closes the client. For a backend that has other users
   * too, call {@link Builder#sharedBackend}.
   *
   * @param backend an open backend
   * @return an open service, which the caller closes
   * @throws BackendUnavailableException the store cannot be reached, or refuses a command that
   *     locks need
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
   * The exclusive, reentrant lock of a name, first come, first served. Threads of all processes get
   * it in the order in which they arrived at the store. {@code tryLock()} does not overtake the
   * queue, unlike that of the JDK's fair lock. Every release goes through the store. So it is
   * slower than {@link #getLock} where many threads of one process contend.
   *
   * <p>It is the same lock as {@link #getLock} of that name. The two exclude each other, and a
   * thread that holds one may lock the other. Only acquisitions through this handle keep the order.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   * @throws UnsupportedOperationException this service shares its locks with Redisson
   */
  DistributedLock getFairLock(String name);

  /**
   * The exclusive, reentrant, unfair lock of a name, whose holds have fencing tokens. It is the
   * same lock as {@link #getLock} of that name. An acquisition costs three more commands in the
   * script.
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
   * The semaphore of a name: permits that all processes share, first come, first served. They are
   * taken as leases. It shares nothing with a lock of that name.
   *
   * @param name as for {@link #getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedSemaphore getSemaphore(String name);

  /**
   * The semaphore of a name, with that many permits. It sets the number where the store has none,
   * as {@link DistributedSemaphore#trySetPermits} does. Of several callers at the same time, the
   * first one sets it. It sends one command.
   *
   * <p>The store may forget the permits. The handle does not set them again, and another call of
   * this method does.
   *
   * @param name as for {@link #getLock}
   * @param permits at least 1
   * @return a handle of a semaphore that had so many permits when the store answered
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces, or the
   *     number is not positive
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
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   */
  DistributedCountDownLatch getCountDownLatch(String name);

  /**
   * The holds of this service at this moment, the oldest first: of threads, of leases, and of
   * permits. A lock of several locks appears by its members. A hold that one thread has just handed
   * off to the next is absent until that thread runs. It sends no command, and is meant for metrics
   * and for looking at a running process.
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
   * Finds locks and semaphores of all processes that are held in the store, for people who look
   * what is going on. It walks through all keys of the store in many short read-only commands, of
   * about 500 keys each, so no command keeps the server for long. The whole takes as long as the
   * store is large. Do not call it in the course of locking. If the name is known, {@link #status}
   * does not walk.
   *
   * <p>The answer is no snapshot: a lock that is acquired or released meanwhile may be in it or
   * not. In a cluster, so may be the locks of a slot that moves meanwhile, and the search can fail
   * with an {@link OutcomeUnknownException} or a {@link BackendUnavailableException}. It has the
   * names of this service's key prefix. Latches, which nobody holds, and locks shared with Redisson
   * are not in it.
   *
   * @param pattern a pattern of whole names: {@code *} is any text, {@code ?} one character, and a
   *     backslash makes the character behind it stand for itself. All other characters stand for
   *     themselves, also brackets and braces. Up to 1,024 characters
   * @param limit how many locks are returned at most, at least 1; when so many are found, the
   *     search ends
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
   * own keys, in at most four read-only commands that are sent together, and walks through nothing.
   *
   * @param name the name of a lock, a read/write lock or a semaphore. A latch has no holder
   * @return what is held of them, sorted by kind, and empty if nothing is. Of a read/write lock it
   *     has each side that is held. With {@linkplain Builder#redissonInterop locks shared with
   *     Redisson}, it has the shared lock and the semaphore
   * @throws IllegalArgumentException the name is empty, too long, or has stray braces
   * @throws BackendUnavailableException the store cannot be reached
   * @throws OutcomeUnknownException the store did not answer
   */
  List<LockStatus> status(String name);

  /**
   * The id of this service in the store: host, process and a random part. It is the first part of
   * every acquisition id.
   *
   * @return the id, which has no colon
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
   * #listener} is set once: a second call of a setter throws {@link IllegalStateException} with
   * both values. A value out of range is an {@link IllegalArgumentException}. Not thread-safe.
   */
  interface Builder {
    /**
     * Sets the store's address.
     *
     * @param uri as for {@link LockService#open(String)}; its scheme selects the backend
     * @return this
     * @throws IllegalArgumentException the URI is malformed
     */
    Builder uri(String uri);

    /**
     * Gives the backend that is opened by {@link #uri} a further setting. May be called for several
     * names.
     *
     * @param name a name that the backend's provider knows, such as {@code sentinel.password}
     * @param value the value; a secret, which appears in no message
     * @return this
     */
    Builder property(String name, String value);

    /**
     * Sets a supplier of user and password for {@link #uri}, which then has none. Each new
     * connection asks it, on a thread of the backend, one call at a time. It is also asked about
     * once a second, and open connections authenticate again when its answer has changed. So it
     * should answer from memory, and with the same until there is something new.
     *
     * @param supplier returns what is valid from now on; may throw while it has nothing
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
     * it and closes it, also if {@code open} fails. The caller keeps and closes the client in it.
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
     * closes the outermost backend, unless it was given by {@link #sharedBackend}. So a wrapper has
     * nothing of its own to close.
     *
     * @param wrapper gets an open backend once, and returns one that forwards all calls to it, such
     *     as a {@link io.mortise.spi.ForwardingBackend}
     * @return this
     */
    Builder wrapBackend(UnaryOperator<LockBackend> wrapper);

    /**
     * Sets the lease of holds without an explicit lease. They are renewed when a third of it has
     * passed.
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
     * @param timeout at least 10 ms, at most a third of the lease time; default 2 s or a third of
     *     the lease time, whichever is shorter
     * @return this
     */
    Builder commandTimeout(Duration timeout);

    /**
     * Sets the beginning of every key and channel. Of two prefixes on one store, neither should
     * begin with the other. A prefix must not lead into the keys of another prefix. So {@code
     * mortise:rw:} is refused, as is every prefix that ends in a separator and then {@code rw:},
     * {@code redisson:}, {@code redisson-tag:}, {@code sem:} or {@code latch:}.
     *
     * @param prefix 1 to 128 characters ({@link String#length}) without braces; default {@code
     *     mortise:}
     * @return this
     * @throws IllegalArgumentException it cannot be a prefix
     */
    Builder keyPrefix(String prefix);

    /**
     * Limits how many times threads of this service hand a lock off before waiters of other
     * services get it. It also limits how many times leases hand off a plain lock or permits, and
     * how many readers join a hold. In any case hand-offs between threads end 10 ms after another
     * service has asked for the lock, and 1 s after its acquisition from the store. Leases hand
     * off, and readers join, for 10 ms after that acquisition at most.
     *
     * @param limit the hand-offs per acquisition from the store; 0 turns them off. The default is
     *     no limit but those times. Fenced locks are handed off at most 64 times.
     * @return this
     */
    Builder handOffLimit(int limit);

    /**
     * Lets this process keep a plain lock after {@code unlock()}, so that its next thread locks it
     * without a command. It is given back as soon as another service wants it and no thread is
     * inside, and at the latest when this time has passed since its acquisition from the store. It
     * helps where one process locks the same names again and again.
     *
     * <p>The price, of which {@code docs/retained-locks.md} has all: another process waits for a
     * message and a release more. {@code isLocked()} and {@code holder()} see the lock as held,
     * though no thread has it. A process that crashes keeps such locks until their leases end. It
     * changes nothing for other kinds of lock, leases and fixed leases.
     *
     * @param longest at most half of the lease time; default zero, which keeps nothing
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
     * Sets whether {@link LockService#getLock} of a name is the same lock as {@code getLock} of
     * that name in Redisson, and excludes it. See {@code docs/migrating-from-redisson.md}. Such a
     * service has no fair, fenced and read/write locks.
     *
     * @param interop default false
     * @return this
     */
    Builder redissonInterop(boolean interop);

    /**
     * Makes a hold begin, and its lease last longer, only when replicas of the server have it too.
     * An acquisition that too few replicas confirm is given back, and fails with {@link
     * NotReplicatedException}. A renewal that too few confirm makes the hold {@link
     * LeaseState#SUSPECT}, and is tried again. Releases do not wait. This protects from the loss of
     * a master only if the replica that is promoted is one of those that confirmed: {@code
     * docs/operating.md} has the limits.
     *
     * @param replicas how many replicas must confirm, at least 1; default: none
     * @param wait how long to wait for them, from 1 ms to less than half of the command timeout
     * @return this
     */
    Builder replicaAcks(int replicas, Duration wait);

    /**
     * Sets the executor of listeners and futures. They never run on the timer that all services
     * share. On a client's I/O thread they run only if the executor runs tasks in place, such as
     * {@code Runnable::run}, and must not block there. If the executor throws, they run on a thread
     * of this library, and the log says so once. An executor that drops tasks cannot be noticed:
     * futures then never complete, and a lease granted to one is renewed until garbage collection.
     *
     * @param executor the caller keeps it and shuts it down; default: one daemon thread of the
     *     service, so that listeners receive events in their order
     * @return this
     */
    Builder executor(Executor executor);

    /**
     * Adds a listener. The listeners are told in the order in which they were added, and none
     * notices what another throws.
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
     * @throws BackendUnavailableException the store cannot be reached, or refuses a command that
     *     locks need
     */
    LockService open();
  }
}

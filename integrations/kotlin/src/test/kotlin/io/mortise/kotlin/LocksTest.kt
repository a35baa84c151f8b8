package io.mortise.kotlin

import io.mortise.AsyncLock
import io.mortise.DistributedLock
import io.mortise.Lease
import io.mortise.LeaseLostException
import io.mortise.LeasedLock
import io.mortise.LockService
import io.mortise.MultiLock
import io.mortise.junit.LockWorld
import io.mortise.junit.MortiseTest
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assertions.fail
import org.junit.jupiter.api.Test

/** Real time, because coroutines have their own. What a test leaves held fails it. */
@MortiseTest(time = MortiseTest.Time.SYSTEM)
class LocksTest {
    private val limit = 30.seconds

    private fun <T> inTime(block: suspend kotlinx.coroutines.CoroutineScope.() -> T): T =
        runBlocking { withTimeout(limit) { withContext(Dispatchers.Default) { block() } } }

    private suspend fun until(what: String, condition: () -> Boolean) {
        repeat(2_000) {
            if (condition()) return
            delay(5.milliseconds)
        }
        fail<Unit>("not within 10 s: $what")
    }

    @Test
    fun `two hundred coroutines of two services never overlap`(locks: LockService, world: LockWorld) {
        val services = listOf(locks, world.anotherProcess())
        var inside = 0
        var runs = 0
        var overlaps = 0
        inTime {
            List(200) { i ->
                launch {
                    services[i % 2].getLock("orders").withLock {
                        if (++inside != 1) overlaps++
                        yield()
                        runs++
                        inside--
                    }
                }
            }.joinAll()
        }
        assertEquals(0, overlaps)
        assertEquals(200, runs)
        assertEquals(setOf<String>(), world.keys())
    }

    @Test
    fun `a signal of a loss shows the name on one line`(locks: LockService) = inTime {
        val signal = CompletableDeferred<String?>()
        val lost = runCatching {
            locks.getLock("order\n42").withLock {
                locks.getLock("order\n42").forceUnlock()
                try {
                    awaitCancellation()
                } catch (e: CancellationException) {
                    signal.complete(e.message)
                    throw e
                }
            }
        }
        assertTrue(lost.exceptionOrNull() is LeaseLostException)
        assertEquals("the lease of 'order\\u000a42' is lost", signal.await())
    }

    @Test
    fun `a cancelled waiter leaves no key`(locks: LockService, world: LockWorld) = inTime {
        val holder = world.anotherProcess().getLock("orders").acquire()
        val waiter = launch { locks.getLock("orders").withLock { fail<Unit>("it is held") } }
        world.awaitWaiting("orders", 1)

        waiter.cancelAndJoin()
        until("the waiter has left the queue") { world.keys().none { "queue" in it } }

        holder.close()
        until("nothing is left") { world.holds().isEmpty() }
        assertTrue(locks.getLock("orders").tryLock())
        locks.getLock("orders").unlock()
    }

    @Test
    fun `a waiter that is cancelled while it is granted the lock gives it back`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        val other = world.anotherProcess().getLock("orders")
        repeat(60) { round ->
            val holder = other.acquire()
            val waiter = launch { locks.getLock("orders").withLock { } }
            if (round % 2 == 0) world.awaitWaiting("orders", 1)
            val release = launch { holder.close() }
            if (round % 3 == 0) yield()
            waiter.cancelAndJoin()
            release.join()
            until("round $round leaves nothing held") { world.holds().isEmpty() }
        }
    }

    /** Shows the test the future of the last request. */
    private class Watched(private val lock: DistributedLock) : LeasedLock by lock {
        lateinit var requested: CompletableFuture<Lease>

        override fun async(): AsyncLock {
            val requests = lock.async()
            return object : AsyncLock by requests {
                override fun acquire() = requests.acquire().also { requested = it }
            }
        }
    }

    @Test
    fun `a lease that arrived before the cancellation is given back`(
        locks: LockService,
        world: LockWorld,
    ) = runBlocking {
        val holder = world.anotherProcess().getLock("orders").acquire()
        val lock = Watched(locks.getLock("orders"))
        val waiter = launch { lock.withLock { fail<Unit>("it was cancelled before") } }
        yield()
        world.awaitWaiting("orders", 1)

        holder.close()
        lock.requested.get(10, TimeUnit.SECONDS) // this thread alone could resume the waiter
        waiter.cancelAndJoin()

        assertEquals(listOf<Any>(), world.holds())
    }

    @Test
    fun `a coroutine that is cancelled inside gives the lock back before it ends`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        val inside = CompletableDeferred<Unit>()
        val holder = launch {
            locks.getLock("orders").withLock {
                inside.complete(Unit)
                awaitCancellation()
            }
        }
        inside.await()
        holder.cancelAndJoin()
        assertEquals(listOf<Any>(), world.holds())
    }

    /** Runs a block that goes on until it is cancelled, under each kind of lock and under a permit. */
    private fun kinds(locks: LockService): List<suspend (() -> Unit) -> Unit> =
        listOf(
            locks.getLock("plain"),
            locks.getFairLock("fair"),
            locks.getReadWriteLock("rw").readLock(),
            locks.getReadWriteLock("rw").writeLock(),
            MultiLock.of(locks.getLock("one"), locks.getLock("two")),
        ).map<LeasedLock, suspend (() -> Unit) -> Unit> { lock ->
            { begun -> lock.withLock { begun(); awaitCancellation() } }
        } + listOf<suspend (() -> Unit) -> Unit>(
            { begun -> locks.getLock("plain").tryWithLock<Unit>(1.seconds) { begun(); awaitCancellation() } },
            { begun -> locks.getSemaphore("permits").withPermits(1) { begun(); awaitCancellation() } },
        )

    @Test
    fun `no coroutine that is cancelled inside ends before the lock is free`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        locks.getSemaphore("permits").trySetPermits(1)
        for (kind in kinds(locks)) {
            repeat(200) { round ->
                val inside = CompletableDeferred<Unit>()
                val holder = launch { kind { inside.complete(Unit) } }
                inside.await()
                holder.cancelAndJoin()
                assertEquals(listOf<Any>(), world.holds(), "round $round")
            }
        }
    }

    @Test
    fun `no coroutine that is cancelled around the grant leaves the lock held`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        locks.getSemaphore("permits").trySetPermits(1)
        for (kind in kinds(locks)) {
            repeat(200) { round ->
                val waiter = launch { kind { } }
                repeat(round % 8) { yield() }
                waiter.cancelAndJoin()
                until("round $round leaves nothing held") { world.holds().isEmpty() }
            }
        }
    }

    @Test
    fun `a forced unlock cancels the block and its caller is told of the loss`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        val inside = CompletableDeferred<Unit>()
        var cancelled = false
        val result = async {
            runCatching {
                locks.getLock("orders").withLock<Unit> {
                    inside.complete(Unit)
                    try {
                        awaitCancellation()
                    } finally {
                        cancelled = true
                    }
                }
            }
        }
        inside.await()
        assertTrue(world.anotherProcess().getLock("orders").forceUnlock())

        assertTrue(result.await().exceptionOrNull() is LeaseLostException, "${result.await()}")
        assertTrue(cancelled)
    }

    @Test
    fun `a result under a lost lease is not a success`(locks: LockService, world: LockWorld) = inTime {
        val result = runCatching {
            locks.getLock("orders").withLock { lease ->
                withContext(NonCancellable) {
                    world.anotherProcess().getLock("orders").forceUnlock()
                    until("the loss is seen") { !lease.isValid }
                }
                "done"
            }
        }
        assertTrue(result.exceptionOrNull() is LeaseLostException, "$result")
    }

    @Test
    fun `a loss never hides the exception of the block`(locks: LockService, world: LockWorld) = inTime {
        val result = runCatching {
            locks.getLock("orders").withLock<Unit> { lease ->
                withContext(NonCancellable) {
                    world.anotherProcess().getLock("orders").forceUnlock()
                    until("the loss is seen") { !lease.isValid }
                }
                error("its own")
            }
        }
        val own = generateSequence(result.exceptionOrNull()) { it.cause }.toList()
        assertTrue(own.all { it is IllegalStateException && it.message == "its own" }, "$own")
        assertTrue(own.flatMap { it.suppressed.toList() }.any { it is LeaseLostException }, "$own")
    }

    @Test
    fun `the loss of an outer lock is told of the outer lock`(locks: LockService, world: LockWorld) =
        inTime {
            val result = runCatching {
                locks.getLock("outer").withLock<Unit> {
                    locks.getLock("inner").withLock<Unit> {
                        world.anotherProcess().getLock("outer").forceUnlock()
                        awaitCancellation()
                    }
                }
            }
            val loss = result.exceptionOrNull()
            assertTrue(loss is LeaseLostException && "outer" in loss.message.orEmpty(), "$result")
            assertEquals(listOf<Any>(), world.holds())
        }

    @Test
    fun `an attempt on a busy lock is null and the block does not run`(
        locks: LockService,
        world: LockWorld,
    ) = inTime {
        val holder = world.anotherProcess().getLock("orders").acquire()
        for (wait in listOf(Duration.ZERO, 50.milliseconds)) {
            assertNull(locks.getLock("orders").tryWithLock(wait) { fail<String>("it is held") })
        }
        holder.close()
        assertEquals("done", locks.getLock("orders").tryWithLock(1.seconds) { "done" })
        assertEquals("done", locks.getLock("orders").tryWithLock(Duration.INFINITE) { "done" })
    }

    @Test
    fun `permits bound how many coroutines are inside`(locks: LockService, world: LockWorld) {
        val services = listOf(locks, world.anotherProcess())
        locks.getSemaphore("printers").trySetPermits(3)
        val inside = AtomicInteger()
        val most = AtomicInteger()
        inTime {
            List(60) { i ->
                launch {
                    services[i % 2].getSemaphore("printers").withPermits(1) {
                        most.accumulateAndGet(inside.incrementAndGet(), ::maxOf)
                        delay(1.milliseconds)
                        inside.decrementAndGet()
                    }
                }
            }.joinAll()
            locks.getSemaphore("printers").withPermits(3) { assertEquals(0, inside.get()) }
        }
        assertTrue(most.get() in 2..3, "at most ${most.get()} inside")
        assertEquals(3, locks.getSemaphore("printers").availablePermits())
    }

    @Test
    fun `the block gets the fencing token of its lease`(locks: LockService) = inTime {
        val lock = locks.getFencedLock("orders")
        val first = lock.withLock { it.fencingToken().asLong }
        val second = lock.withLock { it.fencingToken().asLong }
        assertTrue(first < second)
    }
}

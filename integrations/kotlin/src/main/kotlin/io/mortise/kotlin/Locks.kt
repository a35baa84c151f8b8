/** Locks and permits that belong to a coroutine. */
package io.mortise.kotlin

import io.mortise.DistributedSemaphore
import io.mortise.Lease
import io.mortise.LeasedLock
import io.mortise.spi.internal.Shown
import java.util.Optional
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/**
 * Waits for the lock without blocking a thread, and runs [block] while it is held.
 *
 * The hold belongs to this call. It may suspend and go on in any thread. It is not reentrant: a
 * call for the same lock inside [block] waits for ever, and so does [LeasedLock.lock].
 *
 * A coroutine that is cancelled while it waits leaves the queue, and does not wait for the store's
 * answer. If the store grants it the lock at that moment, the lock is held until the withdrawal
 * arrives there, which is sent at once. If the lease is lost, [block] is cancelled, and the
 * caller gets [io.mortise.LeaseLostException], also if [block] has returned a result. An exception
 * of [block] reaches the caller in every case; a loss is then suppressed in it.
 *
 * Once [block] has begun, the lock is given back before this function returns or throws, also in
 * a cancelled coroutine. If the store cannot be reached, it is given back in the background.
 *
 * @param block gets the lease, for [Lease.fencingToken] and [Lease.remaining]
 * @return what [block] returns
 * @throws io.mortise.LeaseLostException the lease ended before [block] did
 * @throws io.mortise.BackendUnavailableException the lock was certainly not acquired
 * @throws io.mortise.OutcomeUnknownException whether it was acquired is not known
 */
public suspend fun <T> LeasedLock.withLock(block: suspend CoroutineScope.(Lease) -> T): T =
    holding(async().acquire().awaitOwned { it }, block)

/**
 * As [withLock], and waits until the deadline at most.
 *
 * @param wait the longest time to wait; none if not positive
 * @param block gets the lease
 * @return what [block] returns, or null if the deadline passed first and [block] did not run
 * @throws io.mortise.LeaseLostException the lease ended before [block] did
 */
public suspend fun <T : Any> LeasedLock.tryWithLock(
    wait: Duration,
    block: suspend CoroutineScope.(Lease) -> T,
): T? {
    val lease = async().tryAcquire(wait.toJavaDuration()).awaitOwned(Optional<Lease>::orNull)
    return if (lease == null) null else holding(lease, block)
}

/**
 * Waits for permits without blocking a thread, and runs [block] while they are held. Everything
 * else is as for [withLock].
 *
 * @param permits the number of permits, at least 1
 * @param block gets the lease
 * @return what [block] returns
 * @throws io.mortise.LeaseLostException the lease ended before [block] did
 * @throws IllegalStateException no permits are set
 * @throws IllegalArgumentException it is not positive, or more than there are
 */
public suspend fun <T> DistributedSemaphore.withPermits(
    permits: Int,
    block: suspend CoroutineScope.(Lease) -> T,
): T = holding(async(permits).acquire().awaitOwned { it }, block)

private fun Optional<Lease>.orNull(): Lease? = orElse(null)

/**
 * Awaits an acquisition. If the coroutine is cancelled while it waits, [await] cancels the future,
 * which withdraws the request. If it is cancelled when the future has already completed, nobody
 * else knows the lease, so it is given back here.
 */
private suspend fun <F, L : Lease?> CompletableFuture<F>.awaitOwned(lease: (F) -> L): L =
    try {
        lease(await())
    } catch (e: CancellationException) {
        if (isDone && !isCompletedExceptionally) {
            lease(join())?.giveBack()?.let(e::addSuppressed)
        }
        throw e
    }

/** Cancels a block whose lease is lost. The lease says whose block it is. */
private class LossSignal(val lease: Lease) :
    CancellationException("the lease of '${Shown.of(lease.name())}' is lost")

private suspend fun <T> holding(lease: Lease, block: suspend CoroutineScope.(Lease) -> T): T {
    val outcome: Result<T> =
        try {
            Result.success(
                coroutineScope {
                    lease.onLost { cancel(LossSignal(lease)) }
                    block(lease)
                },
            )
        } catch (e: Throwable) {
            Result.failure(e)
        }
    val loss = lease.giveBack() ?: return outcome.getOrThrow()
    val own = outcome.exceptionOrNull()
    if (own == null || (own is LossSignal && own.lease === lease)) {
        throw loss
    }
    if (own !== loss) {
        own.addSuppressed(loss)
    }
    throw own
}

/** Releases, also in a cancelled coroutine. Returns what went wrong, above all a loss. */
private suspend fun Lease.giveBack(): Throwable? =
    withContext(NonCancellable) {
        try {
            releaseAsync().await()
            null
        } catch (e: Exception) {
            e
        }
    }

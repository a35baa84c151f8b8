package io.mortise.kotlin

import io.mortise.LockService
import io.mortise.junit.WithLockChecks
import io.mortise.spring.LockContext
import io.mortise.spring.LockedMethodException
import io.mortise.spring.WithLock
import io.mortise.spring.WithLockConfiguration
import java.util.function.Supplier
import kotlinx.coroutines.delay
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.springframework.context.annotation.AnnotationConfigApplicationContext

/** What `@WithLock` of mortise-spring does with Kotlin. */
class SpringTest {
    open class Suspending {
        @WithLock("stock")
        open suspend fun sell() {
            delay(1)
        }
    }

    open class Final {
        @WithLock("stock") fun sell() {}
    }

    open class Open {
        @WithLock("orders:#{#p0}")
        open fun pay(id: Long): Long {
            LockContext.ensureHeld("orders:$id")
            return id
        }
    }

    class FinalClass {
        @WithLock("stock") fun sell() {}
    }

    open class CallingItself {
        @WithLock("stock") open fun sell() {}

        fun later(): () -> Unit = { sell() }
    }

    open class CallingTheBean {
        var self: CallingTheBean? = null

        @WithLock("stock") open fun sell() {}

        fun later(): () -> Unit = { self?.sell() }
    }

    private fun start(bean: Class<*>): AnnotationConfigApplicationContext {
        val context = AnnotationConfigApplicationContext()
        context.register(WithLockConfiguration::class.java, bean)
        context.registerBean(LockService::class.java, Supplier { LockService.open("memory:kotlin") })
        context.refresh()
        return context
    }

    private fun refusal(bean: Class<*>): String {
        val thrown = assertThrows(RuntimeException::class.java) { start(bean) }
        return generateSequence<Throwable>(thrown) { it.cause }
            .filterIsInstance<LockedMethodException>()
            .first()
            .message!!
    }

    @Test
    fun `a suspending function stops the start and the message names withLock`() {
        val message = refusal(Suspending::class.java)
        assertTrue(message.contains("Suspending.sell(Continuation)"), message)
        assertTrue(message.contains("suspending"), message)
        assertTrue(message.contains("withLock of mortise-kotlin"), message)
    }

    @Test
    fun `a function that is not open stops the start`() {
        assertTrue(refusal(Final::class.java).contains("final"))
        val thrown = assertThrows(RuntimeException::class.java) { start(FinalClass::class.java) }
        val messages = generateSequence<Throwable>(thrown) { it.cause }.map { it.message }.toList()
        assertTrue(messages.any { it!!.contains("final class") }, messages.toString())
    }

    @Test
    fun `a lambda that calls a locked function of its own object is found`() {
        val found =
            assertThrows(AssertionError::class.java) {
                WithLockChecks.assertNoSelfCalls(CallingItself::class.java)
            }
        assertTrue(found.message!!.contains("CallingItself.later"), found.message)
        WithLockChecks.assertNoSelfCalls(CallingTheBean::class.java)
    }

    @Test
    fun `an open function runs under its lock`() {
        start(Open::class.java).use { assertEquals(7L, it.getBean(Open::class.java).pay(7)) }
    }
}

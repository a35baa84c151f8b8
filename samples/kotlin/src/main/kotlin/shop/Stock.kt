package shop

import io.mortise.LockService
import io.mortise.kotlin.withLock
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield

private const val WORKERS = 4
private const val SALES = 250

private var sold = 0 // no atomic: the lock alone protects it

/** Four coroutines sell 250 pieces each, and write the number down together. */
fun main() {
  val uri = System.getProperty("mortise.uri", "memory:sample")
  LockService.open(uri).use { locks ->
    runBlocking(Dispatchers.Default) {
      repeat(WORKERS) { launch { sell(locks) } }
    }
  }
  println("sold $sold of ${WORKERS * SALES}, on $uri")
  check(sold == WORKERS * SALES) { "sales are missing" }
}

private suspend fun sell(locks: LockService) {
  repeat(SALES) {
    locks.getLock("stock").withLock {
      val before = sold
      yield() // without the lock, others would now write too
      sold = before + 1
    }
  }
}

package io.mortise.it;

import static io.mortise.it.TwoShops.HERE;
import static io.mortise.it.TwoShops.OTHER;
import static io.mortise.it.TwoShops.lock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The endpoint of the application, over HTTP. */
class LocksEndpointTest {
  @Test
  void theEndpointShowsWhatIsHeldHere() throws Exception {
    try (Lease held = lock("here:a/b").acquire()) {
      String page = HERE.get("/actuator/locks");
      assertTrue(page.contains("\"name\":\"here:a/b\""), page);
      assertTrue(page.contains("\"state\":\"HELD\""), page);
      assertTrue(page.contains("\"holder\":\"" + HERE.bean(LockService.class).clientId()), page);
    }
    assertFalse(HERE.get("/actuator/locks").contains("here:a/b"));
  }

  @Test
  void theEndpointShowsALockOfAnotherProcessAndHidesTheHolder() throws Exception {
    assertEquals(404, OTHER.response("/actuator/locks/there:a/b").statusCode());
    DistributedLock lock = lock("there:a/b");
    try (Lease held = lock.acquire()) {
      String page = OTHER.get("/actuator/locks/there:a/b");
      assertTrue(page.contains("\"kind\":\"PLAIN\""), page);
      assertTrue(page.contains("\"id\":\"******\""), page);
      assertFalse(page.contains(HERE.bean(LockService.class).clientId()), page);
      assertEquals(404, OTHER.response("/actuator/locks/there:a").statusCode());
      assertEquals(404, OTHER.response("/actuator/locks/there:*").statusCode());
    }
  }

  @Test
  void theEndpointShowsHoldersAndTheQueueIfAllowed() throws Exception {
    DistributedLock lock = lock("orders:\u00e4 %/1");
    try (Lease held = lock.acquire()) {
      CompletableFuture<Lease> next = lock.async().acquire();
      Await.until("it waits in the store", () -> lock.holder().orElseThrow().waiters() == 1);
      String page = HERE.get("/actuator/locks/orders:%C3%A4%20%25/1");
      String client = HERE.bean(LockService.class).clientId();
      assertTrue(page.matches("(?s).*\"holders\":\\[\\{\"id\":\"" + client + ".*"), page);
      assertTrue(page.matches("(?s).*\"waiters\":\\[\\{\"id\":\"" + client + ".*"), page);
      assertTrue(page.contains("\"pid\":" + ProcessHandle.current().pid()), page);
      next.cancel(true);
    }
  }

  @Test
  void theEndpointEndsTheHoldOfTheHolderThatIsNamed() throws Exception {
    DistributedLock lock = lock("orders:forced/1");
    Lease held = lock.acquire();
    String path = "/actuator/locks/orders:forced/1";
    assertEquals(400, HERE.delete(path).statusCode());
    assertEquals(404, HERE.delete(path + "?holder=nobody").statusCode());
    assertTrue(lock.isLocked());
    String id = lock.holder().orElseThrow().id();
    assertEquals(204, HERE.delete(path + "?holder=" + id).statusCode());
    assertFalse(lock.isLocked());
    Await.until("the loss is told", () -> held.state() == LeaseState.LOST);
  }

  @Test
  void theEndpointEndsOneReaderOfSeveral() throws Exception {
    LockService locks = HERE.bean(LockService.class);
    DistributedLock readers = locks.getReadWriteLock("book").readLock();
    Lease one = readers.acquire();
    Lease another = readers.acquire();
    String id = locks.find("book", 1).get(0).holders().get(0).id();
    assertEquals(204, HERE.delete("/actuator/locks/book?holder=" + id).statusCode());
    Await.until("one loss is told", () -> one.isValid() != another.isValid());
    (one.isValid() ? one : another).close();
  }

  @Test
  void theEndpointEndsNothingUnlessAllowed() throws Exception {
    try (Lease held = lock("orders:kept").acquire()) {
      String id = lock("orders:kept").holder().orElseThrow().id();
      assertEquals(405, OTHER.delete("/actuator/locks/orders:kept?holder=" + id).statusCode());
      assertTrue(held.isValid());
    }
  }
}

package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a version that comes later. */
@Tag("A14")
class MailboxTest extends GateFixture {
  private void hears(String kind, String id) {
    engine.mailbox().onMessage(kind + '|' + id + '|' + keys.lock());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"moved", "moved 17 4", "granted", "grants 1 0", "GRANT", "", " ", "grant\t1"})
  void aKindThatIsNotKnownMeansNothing(String kind) {
    Acquisition held = holds(a);

    hears(kind, held.id());
    hears(kind, "other:1:1");
    hears(kind, engine.store().clientId() + ":99:1");

    store.assertNothingAsked();
    assertTrue(held.lease().isHeld());
    assertEquals(LeaseState.HELD, a.now(lock::leaseState));
  }

  @ParameterizedTest
  @ValueSource(strings = {"moved", "grant 1 0", "moved|", "moved|other:1:1", ""})
  void aMessageOfAnotherFormMeansNothing(String message) {
    engine.mailbox().onMessage(message);

    store.assertNothingAsked();
  }

  @Test
  void aWaiterDoesNotAskBecauseOfIt() {
    Future<Boolean> locking = a.runs(lock::lock);
    String id = store.next("acquire").queued().id();
    time.awaitParked(a.thread());

    hears("moved", id);

    time.awaitParked(a.thread());
    store.assertNothingAsked();
    hears("grant 1 0", id);
    assertEquals(id, store.next("acquire").heldAfterOthers().id());
    GateThread.get(locking);
  }

  @Test
  void aKindMayHaveMoreWordsLater() {
    Acquisition held = holds(a);

    hears("grant 1 0 7", "other:1:1");
    assertEquals("other:1:1", store.next("leave").absent().id());
    hears("lost forced", held.id());

    assertEquals(LeaseState.LOST, a.now(lock::leaseState));
    assertEquals(held.id(), store.next("leave").absent().id());
  }

  @Test
  void theLogHasOneLineOfThem() {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      for (int i = 0; i < 1000; i++) {
        hears("moved", "other:" + i + ":1");
        engine.mailbox().onMessage("moved");
      }
    } finally {
      System.setErr(before);
    }
    String lines = said.toString(StandardCharsets.UTF_8);
    assertEquals(1, lines.lines().filter(line -> line.contains("moved")).count(), lines);
  }
}

package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that look for a deadlock, and others that look like one. */
@Tag("L30")
class ProbeMessageTest extends GateFixture {
  private static final String WAIT = "0005f3a2b1c4d5e6.9f8e7d6c5b4a3f2e.1f";
  private static final String WHOLE = "probe 1 host~7~ab 12- " + WAIT;

  private void hears(String words, String id) {
    engine.mailbox().onMessage(words + '|' + id + '|' + keys.lock());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WHOLE,
        WHOLE + " other:1:1," + WAIT + ",AAAA",
        "probe",
        "probe 1",
        "probe 2 something new",
        "probe 1 host~7~ab 99999999999999999999- " + WAIT
      })
  void aProbeAboutAThreadThatRunsOrAnIdThatIsOverMeansNothing(String words) {
    Acquisition held = holds(a);

    hears(words, held.id());
    hears(words, "other:1:1");
    hears(words, "");
    hears(words + " a".repeat(100_000), held.id());

    store.assertNothingAsked();
    assertTrue(held.lease().isHeld());
    assertEquals(LeaseState.HELD, a.now(lock::leaseState));
  }

  @Test
  void whatCannotBeReadIsLoggedOnce() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      hears("probe 2 " + "x".repeat(1_000), "other:1:1");
      hears("probe 3", "other:1:1");
    } finally {
      System.setErr(before);
    }

    String text = log.toString(StandardCharsets.UTF_8);
    assertEquals(1, text.lines().count(), text);
    assertTrue(text.contains("'probe 2 xxx") && text.length() < 600, text);
  }
}

package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.wire.AcquisitionId.Mark;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class AcquisitionIdTest {
  private static final String CLIENT = "host~7~ab";

  @Test
  void anIdHasTheSuffixByWhichScriptsKnowTheKind() {
    LockKeys plain = LockKeys.of("mine:", "n");
    LockKeys reading = LockKeys.readWrite("mine:", "n").as(LockKind.READ);
    LockKeys semaphore = LockKeys.semaphore("mine:", "n").wanting(3);

    assertEquals("host~7~ab:1:5", AcquisitionId.create(CLIENT, 1, 5, plain, Mark.NONE));
    assertEquals("host~7~ab:1:5:n", created(plain, Mark.GRANTED_IN_REPLY));
    assertEquals("host~7~ab:1:5:k", created(plain, Mark.HANDED_OFF));
    assertEquals("host~7~ab:1:5:i", created(plain, Mark.RETAINED));
    assertEquals("host~7~ab:1:5:r", created(reading, Mark.NONE));
    assertEquals("host~7~ab:1:5:n:p3", created(semaphore, Mark.GRANTED_IN_REPLY));
    assertEquals("host~7~ab:3:5", AcquisitionId.step(CLIENT, 3, 5));
  }

  private static String created(LockKeys keys, Mark mark) {
    return AcquisitionId.create(CLIENT, 1, 5, keys, mark);
  }

  @Test
  void theMarkSaysWhetherItsServiceHearsThatItIsWanted() {
    LockKeys plain = LockKeys.of("mine:", "n");

    assertTrue(Mark.isHeard(created(plain, Mark.HANDED_OFF)));
    assertTrue(Mark.isHeard(created(plain, Mark.RETAINED)));
    assertFalse(Mark.isHeard(created(plain, Mark.NONE)));
    assertFalse(Mark.isHeard(created(plain, Mark.GRANTED_IN_REPLY)));
    assertFalse(Mark.isHeard(AcquisitionId.ofRest(created(plain, Mark.RETAINED), plain)));
  }

  @Test
  void theRestOfAHoldHasAnIdThatNoAcquisitionHas() {
    LockKeys plain = LockKeys.of("mine:", "n");
    LockKeys reading = LockKeys.readWrite("mine:", "n").as(LockKind.READ);
    LockKeys semaphore = LockKeys.semaphore("mine:", "n").wanting(3);

    assertEquals("host~7~ab:1:5:e", AcquisitionId.ofRest("host~7~ab:1:5", plain));
    assertEquals("host~7~ab:1:5:e", AcquisitionId.ofRest("host~7~ab:1:5:n", plain));
    assertEquals("host~7~ab:2:5:e:r", AcquisitionId.ofRest("host~7~ab:2:5:n:r", reading));
    assertEquals("host~7~ab:2:5:e:p3", AcquisitionId.ofRest("host~7~ab:2:5:p3", semaphore));
    assertEquals(5, AcquisitionId.read("host~7~ab:2:5:e:p3").threadId());
  }

  @Test
  void anIdIsReadAsItWasWritten() {
    LockKeys semaphore = LockKeys.semaphore("mine:", "n").wanting(3);
    String id = AcquisitionId.create(CLIENT, 2, 5, semaphore, Mark.GRANTED_IN_REPLY);

    assertEquals(new AcquisitionId("host~7~ab", "host", 7, 5), AcquisitionId.read(id));
  }

  @Test
  void anIdOfRedissonHasClientAndThread() {
    assertEquals(new AcquisitionId("b0b-1", "", -1, 44), AcquisitionId.read("b0b-1:44"));
    assertEquals(new AcquisitionId("whatever", "", -1, -1), AcquisitionId.read("whatever"));
  }

  @Test
  void aReplyGrantsNothingThatHasTokensOrIsShared() {
    for (LockKind kind : EnumSet.of(LockKind.FENCED, LockKind.REDISSON, LockKind.LATCH)) {
      assertFalse(kind.mayBeGrantedInReply(), kind::toString);
    }
  }
}

package io.mortise.internal.composite;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The filter of one listener of a multi-lock. It passes the first loss of a hold, and no further
 * loss until the hold's thread has unlocked. Of a merged lease it passes the first loss alone. The
 * members' services may call it at the same time. Thread-safe.
 */
final class FirstLoss {
  private static final int FIRST_LOOK = 64;

  private record Loss(Member member, String acquisition) {
    boolean isPendingFor(Thread thread) {
      return thread.equals(member.loserOf(acquisition));
    }
  }

  private final String name;
  private final Consumer<? super LeaseChange> listener;
  private final Map<Thread, Loss> reported = new HashMap<>();
  private int nextLook = FIRST_LOOK;

  /** What the members of each merged lease have in common of which a loss was reported. */
  private final Set<Object> reportedLeases = Collections.newSetFromMap(new WeakHashMap<>());

  FirstLoss(String name, Consumer<? super LeaseChange> listener) {
    this.name = name;
    this.listener = listener;
  }

  /**
   * @param lease what the members of the merged lease have in common; null if it is no lease's
   */
  void changed(Member member, LeaseChange event, @Nullable Object lease) {
    if (isNews(member, event, lease)) {
      String reason = "member '" + Names.shown(event.name()) + "': " + event.reason();
      listener.accept(
          new LeaseChange(
              name, event.state(), event.holder(), event.remaining(), event.cause(), reason));
    }
  }

  private synchronized boolean isNews(Member member, LeaseChange event, @Nullable Object lease) {
    if (event.state() != LeaseState.LOST) {
      return true; // it may be delivered after the loss, and is not the loss
    }
    if (lease != null) {
      return reportedLeases.add(lease);
    }
    Thread thread = member.loserOf(event.holder());
    if (thread == null) {
      return true; // the thread has unlocked already
    }
    Loss last = reported.get(thread);
    if (last != null && last.isPendingFor(thread)) {
      return false;
    }
    forgetOld();
    reported.put(thread, new Loss(member, event.holder()));
    return true;
  }

  /** Looks through all when they have doubled, so that a loss costs the same however many wait. */
  private void forgetOld() {
    if (reported.size() >= nextLook) {
      reported.entrySet().removeIf(each -> !each.getValue().isPendingFor(each.getKey()));
      nextLook = Math.max(FIRST_LOOK, 2 * reported.size());
    }
  }
}

package io.mortise.internal.composite;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.internal.lock.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The filter of one listener of a multi-lock. It passes the first loss of a hold, and no further
 * loss until the hold's thread has unlocked. The members' services may call it at the same time.
 * Thread-safe.
 */
final class FirstLoss {
  private record Loss(Member member, String acquisition, Thread thread) {
    boolean isPending() {
      return thread.equals(member.loserOf(acquisition));
    }
  }

  private final String name;
  private final Consumer<? super LeaseChange> listener;
  private final List<Loss> reported = new ArrayList<>();

  FirstLoss(String name, Consumer<? super LeaseChange> listener) {
    this.name = name;
    this.listener = listener;
  }

  void changed(Member member, LeaseChange event) {
    if (isNews(member, event)) {
      String reason = "member '" + event.name() + "': " + event.reason();
      listener.accept(
          new LeaseChange(
              name, event.state(), event.holder(), event.remaining(), event.cause(), reason));
    }
  }

  private synchronized boolean isNews(Member member, LeaseChange event) {
    if (event.state() != LeaseState.LOST) {
      return true; // it may be delivered after the loss, and is not the loss
    }
    reported.removeIf(loss -> !loss.isPending());
    Thread thread = member.loserOf(event.holder());
    if (thread == null) {
      return true; // the thread has unlocked already
    }
    boolean news = reported.stream().noneMatch(loss -> loss.thread().equals(thread));
    if (news) {
      reported.add(new Loss(member, event.holder(), thread));
    }
    return news;
  }
}

package io.mortise;

import io.mortise.engine.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What one listener is told of a multi lock's leases: of a hold's first loss, and then no more
 * until its thread has unlocked. The members' services may call at the same time. Thread-safe.
 */
final class MultiLoss {
  private record Loss(Member member, String acquisition, Thread thread) {
    boolean isPending() {
      return thread.equals(member.loserOf(acquisition));
    }
  }

  private final String name;
  private final Consumer<? super LeaseLost> listener;
  private final List<Loss> told = new ArrayList<>();

  MultiLoss(String name, Consumer<? super LeaseLost> listener) {
    this.name = name;
    this.listener = listener;
  }

  void changed(Member member, LeaseLost event) {
    if (isNews(member, event)) {
      String reason = "member '" + event.name() + "': " + event.reason();
      listener.accept(
          new LeaseLost(name, event.state(), event.holder(), event.remaining(), reason));
    }
  }

  private synchronized boolean isNews(Member member, LeaseLost event) {
    if (event.state() != LeaseState.LOST) {
      return true; // it may be heard when the hold is lost already, and is not its loss
    }
    told.removeIf(loss -> !loss.isPending());
    Thread thread = member.loserOf(event.holder());
    if (thread == null) {
      return true; // the thread has unlocked already
    }
    boolean news = told.stream().noneMatch(loss -> loss.thread().equals(thread));
    if (news) {
      told.add(new Loss(member, event.holder(), thread));
    }
    return news;
  }
}

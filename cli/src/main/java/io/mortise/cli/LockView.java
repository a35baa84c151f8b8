package io.mortise.cli;

import io.mortise.Kind;
import io.mortise.LockStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a lock is shown: as cells of a table, and as an object. */
final class LockView {
  private LockView() {}

  static String kind(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** A line of {@code list}. */
  static String[] cells(LockStatus lock) {
    return new String[] {
      Text.visible(lock.name()),
      kind(lock.kind()),
      holders(lock.holders()),
      Text.time(lock.leaseLeft()),
      String.valueOf(lock.waiters().size())
    };
  }

  /** The first holder, and how many more there are. */
  static String holders(List<LockStatus.Holder> holders) {
    LockStatus.Holder first = holders.get(0);
    String others = holders.size() == 1 ? "" : " +" + (holders.size() - 1);
    return place(first.host(), first.pid(), first.clientId()) + others;
  }

  /** Where a holder or waiter is: host and process, or else its client. */
  static String place(String host, long pid, String clientId) {
    return Text.visible(host.isEmpty() ? clientId : host + ' ' + pid);
  }

  static Map<String, @Nullable Object> object(LockStatus lock) {
    return Json.object(
        "name",
        lock.name(),
        "kind",
        kind(lock.kind()),
        "leaseLeftMillis",
        lock.leaseLeft(),
        "holders",
        lock.holders().stream().map(LockView::holder).toList(),
        "waiters",
        lock.waiters().stream().map(LockView::waiter).toList());
  }

  private static Map<String, @Nullable Object> holder(LockStatus.Holder holder) {
    Map<String, @Nullable Object> object =
        party(holder.id(), holder.clientId(), holder.host(), holder.pid(), holder.threadId());
    object.put("leaseLeftMillis", holder.leaseLeft());
    return object;
  }

  private static Map<String, @Nullable Object> waiter(LockStatus.Waiter waiter) {
    Map<String, @Nullable Object> object =
        party(waiter.id(), waiter.clientId(), waiter.host(), waiter.pid(), waiter.threadId());
    object.put("waitedMillis", waiter.waited());
    return object;
  }

  private static Map<String, @Nullable Object> party(
      String id, String clientId, String host, long pid, long threadId) {
    return Json.object(
        "id", id,
        "clientId", clientId,
        "host", host.isEmpty() ? null : host,
        "pid", pid < 0 ? null : pid,
        "threadId", threadId < 0 ? null : threadId);
  }
}

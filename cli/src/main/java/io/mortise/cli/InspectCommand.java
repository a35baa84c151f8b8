package io.mortise.cli;

import io.mortise.Kind;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.LockStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows who has one lock, and who waits for it. */
@Command(
    name = "inspect",
    description = {
      "Show who holds a lock and who waits for it, in order.",
      "",
      "It asks for that name alone. If nothing of this name is held, the exit code is 1.",
      ""
    },
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "NAME", description = "The name, without key prefix.")
  private String name = "";

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  InspectCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    try (LockService service = store.open()) {
      List<LockStatus> found = status(service, name);
      OptionalLong token = token(service, found);
      if (printer.json()) {
        Printer.printObjects(streams, found.stream().map(each -> object(each, token)).toList());
      } else {
        Printer.print(streams, found.stream().flatMap(e -> lines(e, token).stream()).toList());
      }
      if (found.isEmpty() && !printer.json()) {
        streams.err().println("mortise: '" + Text.visible(name) + "' is free");
      }
      return found.isEmpty() ? Exit.NO.code() : 0;
    }
  }

  /** What is held of a name of the user. Fails if the name leads to a key of another program. */
  static List<LockStatus> status(LockService service, String name) {
    try {
      List<LockStatus> found = service.status(name);
      if (found.isEmpty()) {
        Optional<LockHolder> unused = service.getLock(name).holder();
      }
      return found;
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    }
  }

  /** The token of the plain lock. */
  private OptionalLong token(LockService service, List<LockStatus> found) {
    boolean plain = found.stream().anyMatch(each -> each.kind() == Kind.PLAIN);
    return plain ? token(service.getLock(name).holder(), found) : OptionalLong.empty();
  }

  /** The token, unless the lock has got another holder since it was found. */
  static OptionalLong token(Optional<LockHolder> now, List<LockStatus> found) {
    return now.filter(holder ->
            found.stream()
                .flatMap(each -> each.holders().stream())
                .anyMatch(each -> each.id().equals(holder.id())))
        .map(LockHolder::fencingToken)
        .orElse(OptionalLong.empty());
  }

  private static Map<String, @Nullable Object> object(LockStatus lock, OptionalLong token) {
    Map<String, @Nullable Object> object = LockView.object(lock);
    boolean fenced = lock.kind() == Kind.PLAIN && token.isPresent();
    object.put("fencingToken", fenced ? token.getAsLong() : null);
    return object;
  }

  private static List<String> lines(LockStatus lock, OptionalLong token) {
    List<String> lines = new ArrayList<>();
    lines.add("%s (%s)".formatted(Text.visible(lock.name()), LockView.kind(lock.kind())));
    for (LockStatus.Holder each : lock.holders()) {
      lines.add(
          "  held by    %s%s, lease left %s"
              .formatted(
                  LockView.place(each.host(), each.pid(), each.clientId()),
                  thread(each.threadId()),
                  Text.time(each.leaseLeft())));
      lines.add("  holder id  " + Text.visible(each.id()));
    }
    if (lock.kind() == Kind.PLAIN && token.isPresent()) {
      lines.add("  token      " + token.getAsLong());
    }
    int place = 1;
    for (LockStatus.Waiter each : lock.waiters()) {
      lines.add(
          "  waits %-4d %s%s, for %s"
              .formatted(
                  place++,
                  LockView.place(each.host(), each.pid(), each.clientId()),
                  thread(each.threadId()),
                  Text.time(each.waited())));
    }
    return lines;
  }

  private static String thread(long id) {
    return id < 0 ? "" : " thread " + id;
  }
}

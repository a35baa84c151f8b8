package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.LockStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends the hold of one holder, or of those that were seen. */
@Command(
    name = "force-unlock",
    description = {
      "End a hold of another process.",
      "",
      "Its holder is told at once, and its unlock fails. Nobody who got the lock after you looked is"
          + " touched.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise force-unlock backup                    # shows the holders and ends nothing",
      "  mortise force-unlock backup --holder ID"
    })
final class ForceUnlockCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "NAME", description = "The name, without key prefix.")
  private String name = "";

  @Option(
      names = "--holder",
      paramLabel = "ID",
      description = "The holder id that inspect shows. Only this hold ends.")
  private @Nullable String holder;

  @Option(names = "--yes", description = "End every hold that is seen now.")
  private boolean yes;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  /** A hold that was seen. */
  private record Seen(LockStatus lock, LockStatus.Holder holder) {
    String place() {
      return LockView.place(holder.host(), holder.pid(), holder.clientId());
    }
  }

  ForceUnlockCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if (holder != null && yes) {
      throw Failure.badArgument("--holder and --yes exclude each other");
    }
    if (holder != null && holder.isBlank()) {
      throw Failure.badArgument("--holder is blank; inspect shows the holder id");
    }
    try (LockService service = store.open()) {
      List<Seen> seen = new ArrayList<>();
      for (LockStatus lock : InspectCommand.status(service, name)) {
        lock.holders().forEach(each -> seen.add(new Seen(lock, each)));
      }
      if (holder != null) {
        seen.removeIf(each -> !each.holder().id().equals(holder));
      }
      if (seen.isEmpty()) {
        throw new Failure(Exit.NO.code(), nobody(), null);
      }
      if (holder == null && !yes) {
        throw Failure.badArgument(choice(seen));
      }
      return end(service, seen);
    }
  }

  private String nobody() {
    return holder == null
        ? "'%s' is free".formatted(name)
        : "'%s' is not held by %s; nothing has changed".formatted(name, holder);
  }

  private static String choice(List<Seen> seen) {
    Seen first = seen.get(0);
    String others = seen.size() == 1 ? "" : ", and %d others".formatted(seen.size() - 1);
    return "held by %s%s; nothing has changed; end it with --holder %s, or every hold with --yes"
        .formatted(first.place(), others, first.holder().id());
  }

  private int end(LockService service, List<Seen> seen) {
    int ended = 0;
    List<Map<String, @Nullable Object>> objects = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (Seen each : seen) {
      boolean done = end(service, each);
      ended += done ? 1 : 0;
      String id = each.holder().id();
      objects.add(Json.object("name", name, "holder", id, "ended", done));
      lines.add(
          "%s: %s %s"
              .formatted(
                  Text.visible(name),
                  done ? "ended the hold of" : "was no longer held by",
                  each.place()));
    }
    if (printer.json()) {
      Printer.printObjects(streams, objects);
    } else {
      Printer.print(streams, lines);
    }
    return ended > 0 ? 0 : Exit.NO.code();
  }

  private boolean end(LockService service, Seen seen) {
    String id = seen.holder().id();
    return switch (seen.lock().kind()) {
      case READ -> service.getReadWriteLock(name).readLock().forceUnlock(id);
      case WRITE -> service.getReadWriteLock(name).writeLock().forceUnlock(id);
      case SEMAPHORE -> service.getSemaphore(name).forceRelease(id);
      default -> service.getLock(name).forceUnlock(id);
    };
  }
}

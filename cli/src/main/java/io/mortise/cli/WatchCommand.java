package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.LockStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a line whenever a lock changes. */
@Command(
    name = "watch",
    description = {
      "Print a line whenever a lock changes hands.",
      "",
      "It looks twice a second and takes no lock, so it may miss what is shorter.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  mortise watch backup", "  mortise watch backup --until free -w 10m && echo free"})
final class WatchCommand implements Callable<Integer> {
  private static final Duration PACE = Duration.ofMillis(500);

  /** The state that ends the command. */
  enum Until {
    FREE,
    HELD
  }

  @Parameters(index = "0", paramLabel = "NAME", description = "The name, without key prefix.")
  private String name = "";

  @Option(
      names = "--until",
      paramLabel = "STATE",
      description = "End when the lock is free, or held.")
  private @Nullable Until until;

  @Option(
      names = {"-w", "--wait"},
      paramLabel = "TIME",
      converter = Text.Time.class,
      description = "End after that time. With --until the exit code is then 1.")
  private @Nullable Duration longest;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;
  private final long start = System.nanoTime();

  WatchCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    List<List<String>> before = List.of();
    try (LockService service = store.open()) {
      while (true) {
        List<LockStatus> now = InspectCommand.status(service, name);
        List<String> summary = summary(now);
        List<List<String>> seen = List.of(summary, ids(now));
        if (!seen.equals(before)) {
          Printer.print(streams, printer.json() ? List.of(Json.of(object(now))) : summary);
          before = seen;
        }
        if (until != null && (until == Until.FREE) == now.isEmpty()) {
          return 0;
        }
        if (longest != null && System.nanoTime() - start >= longest.toNanos()) {
          return until == null ? 0 : Exit.NO.code();
        }
        TimeUnit.NANOSECONDS.sleep(PACE.toNanos());
      }
    }
  }

  /** All holders, of whom a line shows the first. */
  static List<String> ids(List<LockStatus> locks) {
    return locks.stream()
        .flatMap(each -> each.holders().stream())
        .map(LockStatus.Holder::id)
        .toList();
  }

  /** Everything but times. */
  private static List<String> summary(List<LockStatus> locks) {
    List<String> lines = new ArrayList<>();
    for (LockStatus each : locks) {
      lines.add(
          "%s: held by %s, %d waiting, holder id %s"
              .formatted(
                  LockView.kind(each.kind()),
                  LockView.holders(each.holders()),
                  each.waiters().size(),
                  Text.visible(each.holders().get(0).id())));
    }
    return lines.isEmpty() ? List.of("free") : lines;
  }

  private Map<String, @Nullable Object> object(List<LockStatus> locks) {
    Until state = locks.isEmpty() ? Until.FREE : Until.HELD;
    return Json.object(
        "name", name,
        "state", state.name().toLowerCase(Locale.ROOT),
        "locks", locks.stream().map(LockView::object).toList());
  }
}

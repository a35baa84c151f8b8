package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.LockStatus;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the locks that are held. */
@Command(
    name = "list",
    description = {
      "List the locks and semaphores that are held, of all processes.",
      "",
      "It walks through all keys of the store in short steps, and needs the permission +scan.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  mortise list", "  mortise list 'orders:*' --waited --json"})
final class ListCommand implements Callable<Integer> {
  private static final int MOST = 1_000_000;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PATTERN",
      defaultValue = "*",
      description = "Names to list. * is any text, ? one character. Default: all.")
  private String pattern = "*";

  @Option(names = "--waited", description = "Only those that somebody waits for.")
  private boolean waited;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Stop when so many are found. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  ListCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    requireLimit(limit);
    Progress progress = new Progress(printer.json() ? streams.silent() : streams);
    List<LockStatus> found;
    try (LockService service = store.open()) {
      found = progress.during("looking at all keys", () -> find(service, pattern, limit));
    }
    List<LockStatus> shown =
        found.stream().filter(each -> !waited || !each.waiters().isEmpty()).toList();
    if (printer.json()) {
      Printer.printObjects(streams, shown.stream().map(LockView::object).toList());
    } else if (!shown.isEmpty()) {
      Printer.print(streams, table(shown).lines(streams.outColumns()));
    }
    if (found.size() == limit) {
      printer.note(
          streams, "%,d were found, and there may be more; --limit is the most".formatted(limit));
    } else if (shown.isEmpty() && !printer.json()) {
      streams.err().println("mortise: no such lock is held");
    }
    return 0;
  }

  static void requireLimit(int limit) {
    if (limit < 1 || limit > MOST) {
      throw Failure.badArgument("--limit is %d; it must be 1 to %d".formatted(limit, MOST));
    }
  }

  /** Finds locks by a pattern of the user. */
  static List<LockStatus> find(LockService service, String pattern, int limit) {
    try {
      return service.find(pattern, limit);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    }
  }

  private static Table table(List<LockStatus> locks) {
    Table table = new Table(3, "lock", "kind", "held by", "lease left", "waiters");
    locks.forEach(each -> table.row(LockView.cells(each)));
    return table;
  }
}

package io.mortise.cli;

import io.mortise.LockService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command under a lock. */
@Command(
    name = "run",
    description = {
      "Run a command while a lock is held.",
      "",
      "The lock is renewed until the command ends. If the lock is lost, the command and all processes"
          + " below it get TERM, and after a grace KILL. If mortise itself is killed, a guard does the"
          + " same (on Unix). HUP, INT and TERM are passed on, and the lock is released after the"
          + " command has ended.",
      "",
      "The command finds MORTISE_LOCK in its environment, and with a fenced lock MORTISE_TOKEN.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise run backup -n -- pg_dump -f shop.sql shop    # or exit with 75 if it runs already",
      "  mortise run deploy -w 10m -- ./deploy.sh",
      "  mortise run report --permits 1/3 -- ./report.sh      # three at a time"
    })
final class RunCommand implements Callable<Integer> {
  static final String NAME = "run";

  private static final Duration STANDARD_LEASE = Duration.ofSeconds(30);
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

  /** The kinds of locks that a command may run under. */
  enum LockChoice {
    FENCED,
    PLAIN,
    FAIR,
    READ,
    WRITE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(index = "0", paramLabel = "NAME", description = "The lock, without key prefix.")
  private String name = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The command and its arguments. Put -- before it.")
  private List<String> command = new ArrayList<>();

  @Option(
      names = {"-n", "--no-wait"},
      description = "Do not wait if somebody else has the lock.")
  private boolean noWait;

  @Option(
      names = {"-w", "--wait"},
      paramLabel = "TIME",
      converter = Text.Time.class,
      description = "Wait so long at most. Default: without end.")
  private @Nullable Duration wait;

  @Option(
      names = {"-E", "--busy-code"},
      paramLabel = "CODE",
      defaultValue = "75",
      description = "The exit code if somebody else has the lock. Default: ${DEFAULT-VALUE}.")
  private int busyCode;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "${COMPLETION-CANDIDATES}. The first three are one lock. Default: fenced.")
  private @Nullable LockChoice kind;

  @Option(
      names = "--permits",
      paramLabel = "N/TOTAL",
      description = "Take N of the TOTAL permits of a semaphore, instead of a lock.")
  private @Nullable String permits;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      converter = Text.Time.class,
      defaultValue = "30s",
      description =
          "How long the lock outlives this machine, from 1s. It is renewed. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration lease = STANDARD_LEASE;

  @Option(
      names = "--at-least",
      paramLabel = "TIME",
      converter = Text.Time.class,
      defaultValue = "0",
      description = "Keep the lock so long from its start, also if the command ends earlier.")
  private Duration atLeast = Duration.ZERO;

  @Option(
      names = "--on-lost",
      paramLabel = "ACTION",
      defaultValue = "term",
      description =
          "What happens to the command if the lock is lost: ${COMPLETION-CANDIDATES}. Default:"
              + " ${DEFAULT-VALUE}.")
  private LockedRun.OnLost onLost = LockedRun.OnLost.TERM;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      converter = Text.Time.class,
      defaultValue = "5s",
      description =
          "The time between TERM and KILL, at most a third of the lease. Default: ${DEFAULT-VALUE}.")
  private Duration grace = Duration.ZERO;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not tell whom the command waits for.")
  private boolean quiet;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  RunCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    requireArguments();
    Program.require(command.get(0), System.getenv("PATH"));
    LockedRun.Plan plan =
        new LockedRun.Plan(name, command, atLeast, onLost, shorter(grace, lease.dividedBy(3)));
    try (Notices notices = new Notices(streams.err(), printer.json())) {
      return call(new LockedRun(plan, notices));
    }
  }

  private int call(LockedRun run) throws InterruptedException {
    Signals.tell(run::signalled);
    try (LockService service = store.open(LockService.builder().leaseTime(lease))) {
      Wanted wanted = new Wanted(service, name, kind == null ? LockChoice.FENCED : kind, permits);
      boolean bounded = noWait || wait != null;
      Duration longest = noWait || wait == null ? Duration.ZERO : wait;
      return run.under(wanted, bounded ? longest : null, busyCode, quiet);
    } catch (RuntimeException | InterruptedException e) {
      run.rethrowUnlessSignalled(e);
      return run.signalCode();
    }
  }

  private void requireArguments() {
    if (lease.compareTo(SHORTEST_LEASE) < 0) {
      throw Failure.badArgument("--lease is shorter than 1s");
    }
    if (noWait && wait != null) {
      throw Failure.badArgument("-n and -w exclude each other");
    }
    if (kind != null && permits != null) {
      throw Failure.badArgument("--kind and --permits exclude each other");
    }
    if (busyCode < 0 || busyCode > 255) {
      throw Failure.badArgument("-E is %d; it must be 0 to 255".formatted(busyCode));
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}

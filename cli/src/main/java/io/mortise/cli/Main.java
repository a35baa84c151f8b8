package io.mortise.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of the command line. */
@Command(
    name = "mortise",
    description = "Distributed locks with the contract of java.util.concurrent.locks.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    footerHeading = "%nExit codes (run has its own):%n")
public final class Main implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // read by picocli
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  @SuppressWarnings("UnusedVariable") // read by picocli
  private boolean version;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean stacktrace;

  /** What stands for bytes of an argument that are no text. They would not arrive as they were. */
  private static final char UNDECODED = '\uFFFD';

  private final Streams streams;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  private Main(Streams streams) {
    this.streams = streams;
  }

  /**
   * Runs the command and ends the JVM with its exit code.
   *
   * @param args the arguments of the command line
   */
  public static void main(String[] args) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that a program reads, in URLs
    Streams streams = Streams.ofProcess();
    int code = run(streams, args);
    streams.out().flush();
    streams.err().flush();
    System.exit(code);
  }

  static int run(Streams streams, String... args) {
    Redaction redaction = Redaction.of(withEnvironment(args));
    Main main = new Main(streams);
    CommandLine run = new CommandLine(new RunCommand(streams));
    UsageMessageSpec help = run.getCommandSpec().usageMessage();
    help.footer(with(help.footer(), Exit.lines(true)));
    CommandLine line =
        new CommandLine(main)
            .addSubcommand(run)
            .addSubcommand(new ListCommand(streams))
            .addSubcommand(new InspectCommand(streams))
            .addSubcommand(new WatchCommand(streams))
            .addSubcommand(new TopCommand(streams))
            .addSubcommand(new StoryCommand(streams))
            .addSubcommand(new ContentionCommand(streams))
            .addSubcommand(new ForceUnlockCommand(streams))
            .addSubcommand(new DoctorCommand(streams))
            .addSubcommand(new CompletionCommand(streams))
            .addSubcommand(new DemoCommand(streams))
            .addSubcommand(new ProvidersCommand(streams))
            .addSubcommand(RedLockCommand.line(streams))
            .addSubcommand(new DemoProcess(streams, System.in))
            .setOut(streams.out())
            .setErr(streams.err())
            .setUsageHelpLongOptionsMaxWidth(28)
            .setColorScheme(colours(streams))
            .setParameterExceptionHandler(
                (e, a) -> main.report(e.getCommandLine(), badArgument(e), redaction, a))
            .setExecutionExceptionHandler(
                (e, command, parsed) -> main.report(command, Failure.of(e), redaction, args));
    line.setExecutionStrategy(parsed -> execute(parsed, streams.out()));
    line.setExpandAtFiles(false).setCaseInsensitiveEnumValuesAllowed(true);
    line.getCommandSpec().version(version()).usageMessage().footer(Exit.lines(false));
    return line.execute(args);
  }

  /**
   * Runs what was parsed, unless a name or argument is not what the user has written. No success is
   * told if its output could not be written.
   */
  private static int execute(CommandLine.ParseResult parsed, PrintWriter out) {
    List<String> args = parsed.originalArgs();
    List<CommandLine> commands = parsed.asCommandLineList();
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i).indexOf(UNDECODED) >= 0) {
        throw new ParameterException(
            commands.get(commands.size() - 1),
            "argument %d is no text in the encoding %s; set LC_ALL to a locale that fits, as C.UTF-8"
                .formatted(i + 1, System.getProperty("sun.jnu.encoding")));
      }
    }
    int code = new CommandLine.RunLast().execute(parsed);
    if (code == 0) {
      requireWritten(out, commands.get(commands.size() - 1));
    }
    return code;
  }

  private static void requireWritten(PrintWriter out, CommandLine command) {
    try {
      Output.requireWritten(out);
    } catch (Failure e) {
      throw new ExecutionException(command, String.valueOf(e.getMessage()), e);
    }
  }

  /** All texts that may hold a secret of the user. */
  private static List<String> withEnvironment(String... args) {
    String uri = System.getenv(DemoCommand.URI_VARIABLE);
    return Stream.concat(Stream.of(args), Stream.ofNullable(uri)).toList();
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(streams.err(), colours(streams));
    return Failure.BAD_ARGUMENT;
  }

  /** Replaces picocli's own guess, which takes any console of a recent JVM for a terminal. */
  private static Help.ColorScheme colours(Streams streams) {
    return Help.defaultColorScheme(streams.colours() ? Help.Ansi.ON : Help.Ansi.OFF);
  }

  private static Failure badArgument(ParameterException e) {
    String message = String.valueOf(e.getMessage());
    List<String> similar =
        e instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
    String question = similar.isEmpty() ? "" : "; did you mean " + similar.get(0) + '?';
    return new Failure(Failure.BAD_ARGUMENT, message + question, e);
  }

  private static String[] with(String[] footer, String... codes) {
    return Stream.of(Stream.of(footer), Stream.of("", "Exit codes:"), Stream.of(codes))
        .flatMap(lines -> lines)
        .toArray(String[]::new);
  }

  /** Prints one line for the error, and one for the next step. */
  private int report(CommandLine command, Failure failure, Redaction redaction, String... args) {
    PrintWriter err = streams.err();
    boolean ofRun = command.getCommandName().equals(RunCommand.NAME);
    int code = ofRun ? failure.exitCodeOfRun() : failure.exitCode();
    if (failure.is(Exit.CLOSED_PIPE)) {
      return code;
    }
    String message = Text.visible(redaction.of(String.valueOf(failure.getMessage())));
    if (wantsJson(args)) {
      err.println(Json.of(Json.object("error", message, "exitCode", code)));
    } else {
      err.println("mortise: " + message);
      if (ofRun && failure.getCause() instanceof UnmatchedArgumentException) {
        err.println("Put -- before the command: mortise run NAME -- COMMAND");
      } else if (failure.is(Exit.BAD_ARGUMENT)) {
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
      }
    }
    if (stacktrace || Arrays.asList(args).contains("--stacktrace")) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace));
      redaction.of(trace.toString()).lines().map(Main::visible).forEach(err::println);
    }
    err.flush();
    return code;
  }

  /** A line of a stack trace, which may begin with a tab. */
  private static String visible(String line) {
    String text = line.stripLeading();
    return line.substring(0, line.length() - text.length()) + Text.visible(text);
  }

  /** Whether the arguments before {@code --} have the option, also if they were not understood. */
  private static boolean wantsJson(String... args) {
    List<String> own = Arrays.asList(args);
    int end = own.indexOf("--");
    return (end < 0 ? own : own.subList(0, end)).contains("--json");
  }

  private static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return "mortise %s (Java %s)"
        .formatted(version == null ? "unpackaged" : version, Runtime.version());
  }
}

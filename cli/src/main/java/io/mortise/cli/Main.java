package io.mortise.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
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
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0  success",
      "  1  the demo found a wrong count, or an unexpected error occurred",
      "  2  a bad argument",
      "  3  the store cannot be reached or refuses, or no backend serves it"
    })
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
    Streams streams = Streams.ofProcess();
    int code = run(streams, args);
    streams.out().flush();
    streams.err().flush();
    System.exit(code);
  }

  static int run(Streams streams, String... args) {
    Redaction redaction = Redaction.of(withEnvironment(args));
    Main main = new Main(streams);
    CommandLine line =
        new CommandLine(main)
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
    line.getCommandSpec().version(version());
    return line.execute(args);
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

  /** Prints one line for the error, and one for the next step. */
  private int report(CommandLine command, Failure failure, Redaction redaction, String... args) {
    PrintWriter err = streams.err();
    err.println(redaction.of("mortise: " + failure.getMessage()));
    if (failure.exitCode() == Failure.BAD_ARGUMENT) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    if (stacktrace || Arrays.asList(args).contains("--stacktrace")) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace));
      err.print(redaction.of(trace.toString()));
    }
    err.flush();
    return failure.exitCode();
  }

  private static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return "mortise %s (Java %s)"
        .formatted(version == null ? "unpackaged" : version, Runtime.version());
  }
}

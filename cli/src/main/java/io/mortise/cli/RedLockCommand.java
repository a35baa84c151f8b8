package io.mortise.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands for the servers of a Redlock. */
@Command(
    name = "redlock",
    description = "Prepare the servers of a Redlock.",
    synopsisSubcommandLabel = "COMMAND")
final class RedLockCommand implements Callable<Integer> {
  private final Streams streams;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  private RedLockCommand(Streams streams) {
    this.streams = streams;
  }

  static CommandLine line(Streams streams) {
    return new CommandLine(new RedLockCommand(streams))
        .addSubcommand(new RedLockInitCommand(streams));
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(streams.err());
    return Failure.BAD_ARGUMENT;
  }
}

package io.mortise.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a shell needs to complete the command. */
@Command(
    name = "completion",
    description = {"Print the script that lets a shell complete commands and options.", ""},
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(mortise completion bash)",
      "  mortise completion bash > /etc/bash_completion.d/mortise"
    })
final class CompletionCommand implements Callable<Integer> {
  /** The shells; the script is the same for both. */
  enum Shell {
    bash,
    zsh
  }

  @Parameters(index = "0", paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  private Shell shell = Shell.bash;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  private final Streams streams;

  CompletionCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    String script = AutoComplete.bash("mortise", spec.root().commandLine());
    String start = "autoload -U +X compinit && compinit\n";
    streams.out().print(shell == Shell.zsh ? start + script : script);
    Output.requireWritten(streams.out());
    return 0;
  }
}

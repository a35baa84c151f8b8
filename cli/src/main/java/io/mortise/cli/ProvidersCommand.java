package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.ProviderInfo;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Lists what discovery finds. */
@Command(
    name = "providers",
    description = "List the installed backends, and whether they can be used.")
final class ProvidersCommand implements Callable<Integer> {
  private final Streams streams;

  ProvidersCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    Table table = new Table(6, "provider", "version", "schemes", "SPI", "verdict", "from");
    for (ProviderInfo info : LockService.providers()) {
      table.row(
          info.name(),
          info.version(),
          info.schemes().stream().sorted().collect(Collectors.joining(", ")),
          String.valueOf(info.spiVersion()),
          info.verdict(),
          info.location());
    }
    table.lines().forEach(streams.out()::println);
    return 0;
  }
}

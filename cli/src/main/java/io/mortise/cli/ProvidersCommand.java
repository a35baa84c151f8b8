package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.ProviderInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the backends that discovery finds. */
@Command(
    name = "providers",
    description = "List the installed backends, and whether they can be used.")
final class ProvidersCommand implements Callable<Integer> {
  private static final int LONGEST_VERDICT = 20;
  private static final String VALKEY = "valkey";
  private static final String TLS = "rediss";

  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  ProvidersCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    List<ProviderInfo> providers = LockService.providers();
    if (printer.json()) {
      Printer.printObjects(streams, providers.stream().map(ProvidersCommand::object).toList());
    } else {
      Printer.print(streams, lines(providers));
    }
    return 0;
  }

  private static Map<String, @Nullable Object> object(ProviderInfo info) {
    return Json.object(
        "name", info.name(),
        "version", info.version(),
        "schemes", info.schemes().stream().sorted().toList(),
        "location", info.location(),
        "verdict", verdict(info));
  }

  private static String verdict(ProviderInfo info) {
    return info.problem().orElse("usable");
  }

  /** A table of at most 80 columns. A path or an error may be longer, so each has its own line. */
  static List<String> lines(List<ProviderInfo> providers) {
    Table table = new Table(3, "provider", "version", "verdict");
    List<String> notes = new ArrayList<>();
    for (ProviderInfo info : providers) {
      String verdict = verdict(info);
      boolean brief = verdict.length() <= LONGEST_VERDICT;
      table.row(info.name(), info.version(), brief ? verdict : "see below");
      notes.add(info.name() + " serves " + schemes(info.schemes()));
      notes.add(info.name() + " from " + info.location());
      if (!brief) {
        notes.add(info.name() + ": " + verdict);
      }
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.addAll(notes);
    return lines;
  }

  /**
   * In alphabetical order, with {@code redis[s]} for {@code redis} and {@code rediss}, and without
   * those that mean the same with another word.
   */
  private static String schemes(Set<String> all) {
    String others = all.stream().anyMatch(each -> each.startsWith(VALKEY)) ? " (or valkey...)" : "";
    return all.stream()
        .sorted()
        .filter(scheme -> !scheme.startsWith(VALKEY))
        .filter(
            scheme -> !scheme.startsWith(TLS) || !all.contains(scheme.replaceFirst(TLS, "redis")))
        .map(scheme ->
            all.contains(scheme.replaceFirst("redis", TLS))
                ? scheme.replaceFirst("redis", "redis[s]")
                : scheme)
        .collect(Collectors.joining(", ", "", others));
  }
}

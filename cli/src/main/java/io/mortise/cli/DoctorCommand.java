package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Checks whether a store is fit for locks. */
@Command(
    name = "doctor",
    description = {
      "Check whether a store is fit for locks.",
      "",
      "It must be reachable, permit all commands, be a master, and drop no keys. In a cluster one"
          + " master is looked at. If there is a problem, the exit code is 1.",
      ""
    },
    sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  DoctorCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    List<Finding> findings = new ArrayList<>();
    try (LockService service = store.open()) {
      findings.add(Finding.ok("service", "opens: every command that locks need is permitted"));
      findings.add(Finding.ok("client id", service.clientId()));
    }
    try (LockBackend backend = store.backend()) {
      findings.addAll(new StoreCheck(backend, store.key("doctor"), store.timeout()).findings());
    }
    if (printer.json()) {
      Printer.printObjects(
          streams,
          findings.stream()
              .map(each ->
                  Json.object(
                      "check", each.check(), "verdict", verdict(each), "finding", each.text()))
              .toList());
    } else {
      Table table = new Table(3, "check", "verdict", "finding");
      findings.forEach(each -> table.row(each.check(), verdict(each), Text.visible(each.text())));
      Printer.print(streams, table.lines(streams.outColumns()));
    }
    boolean bad = findings.stream().anyMatch(e -> e.verdict() == Finding.Verdict.PROBLEM);
    return bad ? Exit.NO.code() : 0;
  }

  private static String verdict(Finding finding) {
    return finding.verdict().name().toLowerCase(Locale.ROOT);
  }
}

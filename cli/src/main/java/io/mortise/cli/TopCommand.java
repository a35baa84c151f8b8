package io.mortise.cli;

import io.mortise.LockException;
import io.mortise.LockService;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is held, live. */
@Command(
    name = "top",
    description = {
      "Show the locks that are held, live, on the terminal or as a page.",
      "",
      "It shows by whom, for how long, what is left of the lease, and how many wait. It only reads. On"
          + " a terminal it fills the screen until Ctrl-C. Elsewhere it prints each look below the last"
          + " one.",
      "",
      "With --web it serves a page instead, with the waiters of each lock in order. The page is for"
          + " this machine alone unless an address is given. It asks for no password.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise top",
      "  mortise top 'orders:*' --once --json",
      "  mortise top --web 8700"
    })
final class TopCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PATTERN",
      defaultValue = "*",
      description = "Names to show. * is any text, ? one character. Default: all.")
  private String pattern = "*";

  @Option(
      names = "--sort",
      paramLabel = "ORDER",
      defaultValue = "waiters",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Sightings.Sort sort = Sightings.Sort.WAITERS;

  @Option(names = "--once", description = "Look once.")
  private boolean once;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = Text.Time.class,
      defaultValue = "1s",
      description =
          "The pause between two looks, from 100ms. It is never shorter than a look takes. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration every = SECOND;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Stop a look when so many are found. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--web",
      paramLabel = "[ADDRESS:]PORT",
      description = "Serve a page on that port, and by default on the address 127.0.0.1.")
  private @Nullable String web;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  TopCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    ListCommand.requireLimit(limit);
    if (every.compareTo(SHORTEST) < 0) {
      throw Failure.badArgument("--every is shorter than 100ms");
    }
    if (web != null && once) {
      throw Failure.badArgument("--web and --once exclude each other");
    }
    TopPage.Place place = web == null ? null : TopPage.Place.of(web);
    try (LockService service = store.open()) {
      Sightings sightings =
          new Sightings(service, new Sightings.Question(pattern, limit, sort), System::nanoTime);
      if (place != null) {
        return serve(place, sightings);
      }
      boolean screen = streams.outTerminal() && !printer.json() && !once;
      return screen ? fillScreen(sightings) : printLooks(sightings);
    }
  }

  private int serve(TopPage.Place place, Sightings sightings) throws InterruptedException {
    sightings.look(); // fails now if it will not work
    try (TopPage page = TopPage.open(place, sightings, every)) {
      Printer.print(
          streams,
          List.of(
              printer.json()
                  ? Json.of(Json.object("url", page.url()))
                  : "The page is at " + page.url() + " until Ctrl-C."));
      page.join();
      return 0;
    } catch (IOException e) {
      throw new Failure(Failure.BAD_ARGUMENT, "--web %s: %s".formatted(web, e.getMessage()), e);
    }
  }

  private int printLooks(Sightings sightings) throws InterruptedException {
    while (true) {
      long start = System.nanoTime();
      List<Sighting> seen = sightings.look();
      if (printer.json()) {
        List<Map<String, @Nullable Object>> locks = seen.stream().map(Sighting::object).toList();
        Printer.printObjects(streams, List.of(Json.object("locks", locks)));
      } else {
        List<String> lines =
            new ArrayList<>(new TopScreen(width(), streams.colours()).lines(seen, limit));
        if (!once) {
          lines.add("");
        }
        Printer.print(streams, lines);
      }
      if (once) {
        return 0;
      }
      rest(start);
    }
  }

  private int width() {
    return streams.outTerminal() ? streams.columns() : 120;
  }

  private int fillScreen(Sightings sightings) throws InterruptedException {
    List<Sighting> seen = sightings.look(); // fails before the screen changes
    try (SecondScreen second = SecondScreen.open(streams.out())) {
      String trouble = "";
      while (true) {
        long start = System.nanoTime();
        second.show(screen(seen, trouble));
        Output.requireWritten(streams.out());
        rest(start);
        try {
          seen = sightings.look();
          trouble = "";
        } catch (LockException e) {
          trouble = String.valueOf(e.getMessage());
        }
      }
    }
  }

  private String screen(List<Sighting> seen, String trouble) {
    Terminal.Size size = Terminal.size(streams.columns());
    List<String> lines =
        new ArrayList<>(new TopScreen(size.columns(), streams.colours()).lines(seen, limit));
    if (!trouble.isEmpty()) {
      lines.set(0, Text.cut("old: " + Text.visible(trouble), size.columns()));
    }
    StringBuilder screen = new StringBuilder(Terminal.TOP);
    int rows = Math.min(lines.size(), Math.max(1, size.rows() - 1));
    for (String line : lines.subList(0, rows)) {
      screen.append(line).append(Terminal.ERASE_LINE).append("\n");
    }
    return screen.append(Terminal.ERASE_REST).toString();
  }

  /** Pauses for at least as long as the look took, so that the server has as much time again. */
  private void rest(long start) throws InterruptedException {
    long took = System.nanoTime() - start;
    TimeUnit.NANOSECONDS.sleep(Math.max(every.toNanos() - took, took));
  }
}

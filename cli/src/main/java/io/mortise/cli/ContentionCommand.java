package io.mortise.cli;

import io.mortise.cli.jfr.Contention;
import io.mortise.cli.jfr.Recordings;
import io.mortise.cli.jfr.Timeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Says who waited for whom, from flight recordings. */
@Command(
    name = "contention",
    description = {
      "Say who waited for whom, and where the holder was, from flight recordings.",
      "",
      "Names that differ in numbers alone count as one, as orders:*. No store is asked. With --html it"
          + " writes a flame graph, which is one file and loads nothing.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise contention web-1.jfr web-2.jfr",
      "  mortise contention --html wait.html *.jfr"
    })
final class ContentionCommand implements Callable<Integer> {
  @Option(names = "--html", paramLabel = "FILE", description = "Write a flame graph as a page.")
  private @Nullable Path html;

  @Option(
      names = "--collapsed",
      paramLabel = "FILE",
      description = "Write one line for each stack, with its milliseconds, for other tools.")
  private @Nullable Path collapsed;

  @Option(names = "--names", description = "Show each lock and thread by its own name.")
  private boolean names;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Print so many lines of the table. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Parameters(
      index = "0..*",
      arity = "1..*",
      paramLabel = "RECORDING",
      description = "Flight recordings, one of each process.")
  private List<Path> files = new ArrayList<>();

  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  ContentionCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    ListCommand.requireLimit(limit);
    requireNoRecording("--html", html);
    requireNoRecording("--collapsed", collapsed);
    if (html != null && html.equals(collapsed)) {
      throw Failure.badArgument("--html and --collapsed name the same file");
    }
    Recordings recordings = RecordingFiles.read(files, printer, streams);
    Timeline timeline = Timeline.of(recordings);
    Contention contention =
        RecordingFiles.show(printer, streams, watcher -> Contention.of(timeline, !names, watcher));
    if (contention.waited() == 0) {
      printer.note(streams, "nobody waited for 10 ms, from which on waits are recorded");
    }
    write("--html", html, () -> FlamePage.of(contention));
    write("--collapsed", collapsed, () -> lines(contention));
    if (printer.json()) {
      Printer.printObjects(streams, objects(contention));
    } else {
      Printer.print(streams, table(contention, recordings.shortestHold()));
    }
    return Exit.OK.code();
  }

  /** If its own file was forgotten, an option takes the first recording for it. */
  private static void requireNoRecording(String option, @Nullable Path file) {
    if (file != null && RecordingFiles.isRecording(file)) {
      throw Failure.badArgument(
          "%s would overwrite the recording %s; give the file to write first"
              .formatted(option, file));
    }
  }

  private static void write(String option, @Nullable Path file, Callable<String> text) {
    if (file != null) {
      try {
        Files.writeString(file, text.call(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new Failure(
            Failure.BAD_ARGUMENT, "%s %s cannot be written: %s".formatted(option, file, e), e);
      } catch (Exception e) {
        throw Failure.of(e);
      }
    }
  }

  private static String lines(Contention contention) {
    StringBuilder lines = new StringBuilder();
    contention.flames().collapsed().forEach(each -> lines.append(Text.visible(each)).append('\n'));
    return lines.toString();
  }

  private List<String> table(Contention contention, long shortestHold) {
    Table table = new Table(5, "waited", "lock", "by", "for", "holder was in");
    List<Contention.Row> rows = contention.rows();
    for (Contention.Row each : rows.subList(0, Math.min(limit, rows.size()))) {
      table.row(
          "%8s".formatted(RecordingText.seconds(each.nanos())),
          Text.visible(each.lock()),
          Text.visible(each.by()),
          Text.visible(each.holder()),
          Text.visible(each.where()));
    }
    List<String> lines = new ArrayList<>(table.lines(streams.outColumns()));
    if (rows.size() > limit) {
      lines.add("and %,d more; --limit is the most".formatted(rows.size() - limit));
    }
    lines.add(
        "%d %% of %s of waiting have a holder, %d %% a stack of it"
            .formatted(
                RecordingText.percent(contention.held(), contention.waited()),
                RecordingText.seconds(contention.waited()),
                RecordingText.percent(contention.stacked(), contention.waited())));
    long missing = contention.waited() - contention.held() - contention.changing();
    if (missing >= TimeUnit.MILLISECONDS.toNanos(100)) {
      lines.add(
          "%s have none: holds under %d ms are not recorded, or the holder's recording is missing"
              .formatted(
                  RecordingText.seconds(missing), TimeUnit.NANOSECONDS.toMillis(shortestHold)));
    }
    return lines;
  }

  private static List<Map<String, @Nullable Object>> objects(Contention contention) {
    List<Map<String, @Nullable Object>> objects = new ArrayList<>();
    for (Contention.Row each : contention.rows()) {
      objects.add(
          Json.object(
              "lock", each.lock(),
              "by", each.by(),
              "for", each.holder().isEmpty() ? null : each.holder(),
              "where", each.where().isEmpty() ? null : each.where(),
              "waitedMillis", millis(each.nanos())));
    }
    objects.add(
        Json.object(
            "waitedMillis", millis(contention.waited()),
            "heldMillis", millis(contention.held()),
            "stackedMillis", millis(contention.stacked()),
            "changingMillis", millis(contention.changing())));
    return objects;
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}

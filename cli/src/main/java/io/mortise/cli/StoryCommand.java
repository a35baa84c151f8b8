package io.mortise.cli;

import io.mortise.cli.jfr.Recordings;
import io.mortise.cli.jfr.Story;
import io.mortise.cli.jfr.Timeline;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells what happened to one lock, from flight recordings. */
@Command(
    name = "story",
    description = {
      "Tell what happened to one lock, from the flight recordings of its processes.",
      "",
      "All times are those of the server's clock, as far as the recordings tell it. No store is asked."
          + " If no recording has the lock, the exit code is 1.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise story orders:42 web-1.jfr web-2.jfr",
      "  mortise story orders:42 *.jfr --limit 50 --json"
    })
final class StoryCommand implements Callable<Integer> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

  private static final DateTimeFormatter DAY_AND_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

  @Parameters(index = "0", paramLabel = "NAME", description = "The name, without key prefix.")
  private String name = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Tell the last so many events. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "RECORDING",
      description = "Flight recordings, one of each process.")
  private List<Path> files = new ArrayList<>();

  @Mixin private Printer printer = new Printer();

  private final Streams streams;
  private final ZoneId zone = ZoneId.systemDefault();

  StoryCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    ListCommand.requireLimit(limit);
    Recordings recordings = RecordingFiles.read(files, printer, streams);
    Timeline timeline = Timeline.of(recordings);
    Story story = Story.of(timeline, name);
    List<Story.Line> all = story.lines();
    if (all.isEmpty()) {
      tellNames(timeline.names());
      return Exit.NO.code();
    }
    List<Story.Line> shown = all.subList(Math.max(0, all.size() - limit), all.size());
    if (printer.json()) {
      Printer.printObjects(streams, objects(story, shown));
    } else {
      Printer.print(streams, lines(story, shown));
    }
    if (shown.size() < all.size()) {
      printer.note(
          streams,
          "the first %,d events are left out; --limit is the most"
              .formatted(all.size() - shown.size()));
    }
    return Exit.OK.code();
  }

  private void tellNames(List<String> names) {
    if (!printer.json()) {
      String some = names.stream().limit(10).map(Text::visible).collect(Collectors.joining(", "));
      streams
          .err()
          .println(
              "mortise: no recording has '%s'; there are %,d locks: %s%s"
                  .formatted(
                      Text.visible(name), names.size(), some, names.size() > 10 ? ", .." : ""));
    }
  }

  private List<String> lines(Story story, List<Story.Line> shown) {
    LocalDate first = date(shown.get(0).begin());
    boolean oneDay = first.equals(date(shown.get(shown.size() - 1).end()));
    DateTimeFormatter form = oneDay ? TIME : DAY_AND_TIME;
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s%s by the clock of the server"
            .formatted(Text.visible(name), oneDay ? " on " + first : ""));
    story
        .offsets()
        .forEach((process, offset) ->
            lines.add("  " + Text.visible(process) + ": " + RecordingText.offset(offset)));
    int who = widest(shown.stream().map(StoryCommand::by));
    int what = Math.min(60, widest(shown.stream().map(StoryCommand::what)));
    for (Story.Line each : shown) {
      String line =
          each.end() > each.begin()
              ? "%s to %s  %s"
                  .formatted(time(form, each.begin()), time(form, each.end()), what(each))
              : String.join(
                  "  ",
                  time(form, each.begin()),
                  Text.pad(by(each), who),
                  Text.pad(what(each), what),
                  Text.visible(each.where()));
      lines.add(Text.cut(line.stripTrailing(), streams.outColumns()));
    }
    return lines;
  }

  private static int widest(Stream<String> texts) {
    return texts.mapToInt(Text::columns).max().orElse(0);
  }

  private static String what(Story.Line line) {
    return Text.visible(line.what());
  }

  private static String by(Story.Line line) {
    return line.by() == null ? "" : Text.visible(line.by().toString());
  }

  private LocalDate date(long nanos) {
    return instant(nanos).atZone(zone).toLocalDate();
  }

  private String time(DateTimeFormatter form, long nanos) {
    return form.format(instant(nanos).atZone(zone));
  }

  private static Instant instant(long nanos) {
    long second = TimeUnit.SECONDS.toNanos(1);
    return Instant.ofEpochSecond(Math.floorDiv(nanos, second), Math.floorMod(nanos, second));
  }

  private List<Map<String, @Nullable Object>> objects(Story story, List<Story.Line> shown) {
    List<Map<String, @Nullable Object>> objects = new ArrayList<>();
    story
        .offsets()
        .forEach((process, offset) ->
            objects.add(
                Json.object(
                    "process",
                    process,
                    "serverAheadMicros",
                    TimeUnit.NANOSECONDS.toMicros(offset.ahead()),
                    "plusMinusMicros",
                    offset.isBounded()
                        ? TimeUnit.NANOSECONDS.toMicros(offset.plusMinus())
                        : null)));
    for (Story.Line each : shown) {
      objects.add(
          Json.object(
              "time", instant(each.begin()).toString(),
              "until", each.end() > each.begin() ? instant(each.end()).toString() : null,
              "process", each.by() == null ? null : each.by().process(),
              "thread", each.by() == null ? null : each.by().thread(),
              "event", each.what(),
              "where", each.where().isEmpty() ? null : each.where()));
    }
    return objects;
  }
}

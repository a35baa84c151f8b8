package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.question.Stage;
import io.mortise.jmh.question.Steadiness;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A question of one process: a JMH class, whose parameters are the contestant and the settings. A
 * cell is one fork of one iteration, so that contestants alternate within a run.
 *
 * @param benchmark has a parameter {@code contestant} and one benchmark method; a parameter {@code
 *     threads} sets the number of threads
 */
public record JmhQuestion(Class<?> benchmark) implements Question {
  private static final String CONTESTANT = "contestant";
  private static final String THREADS = "threads";

  @Override
  public String id() {
    return benchmark.getSimpleName();
  }

  @Override
  public List<Cell> cells() {
    List<Map<String, String>> combinations = List.of(Map.of());
    for (Field field : benchmark.getFields()) {
      Param values = field.getAnnotation(Param.class);
      if (values != null) {
        combinations = combine(combinations, field.getName(), values.value());
      }
    }
    return combinations.stream().map(JmhQuestion::cell).toList();
  }

  private static List<Map<String, String>> combine(
      List<Map<String, String>> before, String name, String[] values) {
    List<Map<String, String>> after = new ArrayList<>();
    for (String value : values) {
      for (Map<String, String> each : before) {
        Map<String, String> more = new TreeMap<>(each);
        more.put(name, value);
        after.add(more);
      }
    }
    return after;
  }

  private static Cell cell(Map<String, String> parameters) {
    Map<String, String> settings = new TreeMap<>(parameters);
    String contestant = Objects.requireNonNull(settings.remove(CONTESTANT), CONTESTANT);
    return new Cell(Contestant.valueOf(contestant), settings);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    Path warmed = file.resolveSibling(file.getFileName() + ".warm");
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + benchmark.getName().replace(".", "\\.") + "\\.")
            .forks(1)
            .warmupIterations(1)
            .warmupTime(TimeValue.seconds(1)) // Stage does the rest of it
            .measurementIterations(1)
            .measurementTime(time(effort.measure()))
            .addProfiler(GCProfiler.class)
            .addProfiler(ProcessorTime.class)
            .jvmArgs(jvm(effort, cell, warmed))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .resultFormat(ResultFormatType.JSON)
            .result(file.toString());
    cell.parameters().forEach((name, value) -> options.param(name, value));
    if (cell.settings().containsKey(THREADS)) {
      options.threads(cell.number(THREADS));
    }
    new Runner(options.build()).run();
    if (Files.exists(warmed)) {
      String[] words = Files.readString(warmed).split(" ", 2);
      JmhFile.add(
          file,
          Map.of(
              Steadiness.SECONDS, Double.valueOf(words[0]),
              Steadiness.DRIFT, Double.valueOf(words[1])));
    }
  }

  private static String[] jvm(Effort effort, Cell cell, Path warmed) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-Xms512m",
                "-Xmx512m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-D" + Stage.SERVER + "=" + effort.server(),
                "-D" + Stage.WARM_UP + "=" + effort.warmUp(cell.contestant()).toSeconds(),
                "-D" + Stage.WARMED + "=" + warmed));
    if (Runtime.version().feature() >= 23) {
      arguments.add("--sun-misc-unsafe-memory-access=allow"); // otherwise it warns of JMH
    }
    return arguments.toArray(String[]::new);
  }

  private static TimeValue time(Duration duration) {
    return TimeValue.milliseconds(duration.toMillis());
  }
}

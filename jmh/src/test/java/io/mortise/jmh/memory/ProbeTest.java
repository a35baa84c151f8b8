package io.mortise.jmh.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.contestant.Contestant;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Probes bring their objects into being, and see what these cost. */
class ProbeTest {
  private static final URI NOWHERE = URI.create("redis://127.0.0.1:1");

  @ParameterizedTest
  @EnumSource
  void everySubjectIsMeasuredOnTheMemoryStore(Subject subject) throws Exception {
    Order order =
        new Order(
            subject,
            Contestant.MORTISE_MEMORY,
            NOWHERE,
            3,
            Duration.ofSeconds(30),
            Duration.ofMillis(50));
    ByteArrayOutputStream reports = new ByteArrayOutputStream();
    new Probe(
            Order.parse(order.words().toArray(String[]::new)),
            new PrintStream(reports, true, StandardCharsets.UTF_8),
            new BufferedReader(new StringReader("\n\n\n")))
        .run();
    List<String> lines = reports.toString(StandardCharsets.UTF_8).lines().toList();
    assertEquals(3, lines.size(), lines::toString);
    for (int i = 0; i < lines.size(); i++) {
      String step = List.of(Probe.BEFORE, Probe.FILLED, Probe.LATER).get(i);
      assertTrue(lines.get(i).startsWith(step + ' '), lines::toString);
      JvmFigures figures = JvmFigures.parse(lines.get(i).substring(step.length() + 1));
      assertTrue(figures.heap() > 0 && figures.threads() > 0, lines::toString);
    }
  }

  @Test
  void aTrialCountsTheHeldLocksOfItsOwnJvmInItsOwnServer() throws Exception {
    Map<Figure, Double> figures =
        new Trial(Subject.HELD_LOCK, Contestant.MORTISE_JEDIS, true).run();
    assertEquals(1, figures.get(Figure.KEYS), figures::toString);
    assertEquals(0, figures.get(Figure.LOST), figures::toString);
    assertTrue(
        figures.getOrDefault(Figure.HEAP, 0.0) > 16,
        figures::toString); // more than an empty object
    assertTrue(figures.getOrDefault(Figure.STORE, 0.0) > 50, figures::toString); // more than a key
  }
}

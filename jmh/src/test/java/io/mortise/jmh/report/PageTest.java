package io.mortise.jmh.report;

import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import java.awt.Color;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A page from a small sample of JMH's files: four rounds, of which three compare. */
class PageTest {
  private static final Figure OWN = new Figure("OwnLock", MORTISE_JEDIS);
  private static final Ratio SPEED = new Ratio(OWN, OWN.of(BARE_JEDIS));
  private static final Topic ONE_LOCK = new Topic("OneLock", "1 lock", "pairs/s");
  private static final Curve BY_THREADS = new Curve(ONE_LOCK, Results.SCORE, "threads", "Flat.");
  private static final Topic TOPIC = new Topic("OwnLock", "1 thread, its own lock", "pairs/s");

  @Test
  void aRatioIsTakenWithinEachRoundAndShownWithItsSpread() throws Exception {
    assertEquals(
        "| own | Mortise on Jedis / bare Jedis | 0.90 (0.50–0.95) | ≥ 0.80 | reached, not in every round |",
        line(new Row("own", SPEED, Target.atLeast(0.8))));
  }

  @Test
  void aTargetIsMetByTheMedian() throws Exception {
    assertTrue(line(new Row("own", SPEED, Target.atLeast(0.5))).endsWith("| reached |"));
    assertTrue(line(new Row("own", SPEED, Target.atLeast(0.96))).endsWith("| **not reached** |"));
    assertTrue(
        line(new Row("own", SPEED, Target.atLeast(0.92)))
            .endsWith("| **not reached**, not in every round |"));
    assertTrue(line(new Row("own", SPEED, Target.AHEAD)).endsWith("| > 1 | **not reached** |"));
    assertTrue(line(new Row("own", SPEED, Target.NONE)).endsWith("|  |  |"));
  }

  @Test
  void whatIsBetterThanTheFloorIsNotBelieved() throws Exception {
    Ratio odd = new Ratio(OWN.of(BARE_JEDIS), OWN);
    assertTrue(line(new Row("own", odd, Target.ofFloor(0.92))).contains("| **not credible**"));
    assertTrue(line(new Row("own", odd, Target.atLeast(0.92))).endsWith("| reached |"));
    assertTrue(line(new Row("own", SPEED, Target.ofFloor(0.5))).endsWith("| reached |"));
  }

  @Test
  void lessIsBetterWhereTheTargetIsAMaximum() throws Exception {
    Figure bytes = OWN.metric("gc.alloc.rate.norm");
    Ratio ratio = new Ratio(bytes, bytes.of(BARE_JEDIS));
    assertTrue(line(new Row("bytes", ratio, Target.atMost(1.5))).contains("1.50 (1.50–1.50)"));
    assertTrue(line(new Row("bytes", ratio, Target.atMost(1.5))).endsWith("| reached |"));
    assertTrue(line(new Row("bytes", ratio, Target.atMost(1.4))).endsWith("| **not reached** |"));
  }

  @Test
  void aFigureIsThatOfItsSettings() throws Exception {
    Figure shared = new Figure("SharedLock", MORTISE_JEDIS);
    assertTrue(
        line(new Row("x", new Scaled(shared.with("work", 200), 200e-6), Target.NONE))
            .contains("| 0.20 |"));
    assertTrue(line(new Row("x", shared.with("work", 20), Target.NONE)).contains("not measured"));
  }

  @Test
  void whatWasNotMeasuredIsSaidSoAndNotJudged() throws Exception {
    Row row = new Row("own", new Ratio(OWN, OWN.of(BARE_LETTUCE)), Target.atLeast(0.92));
    assertTrue(line(row).endsWith("| not measured | ≥ 0.92 |  |"));
    Page page = page(List.of(row, new Row("own", OWN, Target.NONE)), List.of(), List.of());
    assertEquals(2 + 1, page.measured().size());
  }

  @Test
  void thePageHasTheRunTheTableAndAChartForEachTopic(@TempDir Path folder) throws Exception {
    Topic empty = new Topic("Nobody", "what nobody measured", "pairs/s");
    Row row = new Row("own", SPEED, Target.AHEAD);
    page(List.of(row), List.of(TOPIC, empty), List.of()).write(folder, List.of("A sentence."));

    List<String> lines = Files.readAllLines(folder.resolve("performance/all.md"));
    assertTrue(lines.contains(line(row)));
    assertTrue(lines.contains("![1 thread, its own lock](OwnLock.svg)"));
    assertTrue(lines.contains("| Mortise on Jedis | 9,000 (4,000–19,000) |"));
    assertFalse(String.join("\n", lines).contains("Nobody"));

    Element root = chart(folder.resolve("performance/OwnLock.svg"));
    for (String label : List.of("Mortise on Jedis", "bare Jedis", "1 thread, its own lock")) {
      assertTrue(root.getTextContent().contains(label), label);
    }
    assertTrue(width(root, REDISSON) < width(root, MORTISE_JEDIS), "77 < 9,000");
    assertTrue(width(root, MORTISE_JEDIS) < width(root, BARE_JEDIS), "9,000 < 10,000");
  }

  @Test
  void theShortPageHasTheRunAndARowForEachHeadline(@TempDir Path folder) throws Exception {
    Ratio other = new Ratio(OWN.of(BARE_LETTUCE), OWN);
    List<Headline> headlines =
        List.of(
            new Headline("own", "bare Jedis", SPEED, null),
            new Headline("own", "nobody", null, other));
    new Page(sample(), headlines, List.of(), List.of(TOPIC), List.of())
        .write(folder, List.of("A sentence."));

    List<String> lines = Files.readAllLines(folder.resolve("performance.md"));
    assertTrue(lines.contains("A sentence."));
    assertTrue(lines.contains("| own | bare Jedis | 0.90 (0.50–0.95) |  |"), lines::toString);
    assertTrue(lines.contains("| own | nobody |  |  |"), "not measured");
    assertFalse(String.join("\n", lines).contains(".svg"));
  }

  @Test
  void barsOfOneSettingStandTogetherUnderItsName(@TempDir Path folder) throws Exception {
    page(List.of(), List.of(ONE_LOCK), List.of()).write(folder, List.of());
    String text = chart(folder.resolve("performance/OneLock.svg")).getTextContent();
    String bars = "Mortise on JedisRedisson";
    assertTrue(text.contains("threads: 4" + bars + "threads: 16" + bars), text);
  }

  @Test
  void aCurveIsALineForEachContestantATableByTheSettingAndASentence(@TempDir Path folder)
      throws Exception {
    Curve scripts = new Curve(ONE_LOCK, "scripts", "threads", "Grows.");
    Curve point = new Curve(new Topic("SharedLock", "x", "x"), Results.SCORE, "work", "Point.");
    page(List.of(), List.of(), List.of(BY_THREADS, scripts, point)).write(folder, List.of());

    List<String> lines = Files.readAllLines(folder.resolve("performance/all.md"));
    int start = lines.indexOf("![1 lock, by threads](OneLock-threads.svg)");
    assertEquals(
        List.of(
            "",
            "Flat.",
            "",
            "| pairs/s, by threads | Mortise on Jedis | Redisson |",
            "|--:|--:|--:|",
            "| 4 | 1,400 | 40.0 |",
            "| 16 | 1,800 (1,600–2,000) | 10.0 |"),
        lines.subList(start + 1, start + 8));
    assertTrue(lines.contains("![1 lock, by threads](OneLock-threads-scripts.svg)"));
    assertFalse(lines.contains("Point."), "without two places there is no curve");

    Element root = chart(folder.resolve("performance/OneLock-threads.svg"));
    for (String label : List.of("Mortise on Jedis", "Redisson", "threads", "pairs/s", "1 lock")) {
      assertTrue(root.getTextContent().contains(label), label);
    }
    assertTrue(Files.exists(folder.resolve("performance/OneLock-threads-scripts.svg")));
  }

  private static Element chart(Path file) throws Exception {
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newInstance();
    parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    Element root = parsers.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    assertEquals("svg", root.getTagName());
    return root;
  }

  /** The width of the one bar in the colour of the contestant. */
  private static double width(Element root, Contestant contestant) {
    Color colour = Palette.of(contestant);
    String fill =
        "fill:rgb(%d,%d,%d)".formatted(colour.getRed(), colour.getGreen(), colour.getBlue());
    NodeList boxes = root.getElementsByTagName("rect");
    List<Element> bars =
        IntStream.range(0, boxes.getLength())
            .mapToObj(i -> (Element) boxes.item(i))
            .filter(box -> box.getAttribute("style").contains(fill))
            .toList();
    assertEquals(1, bars.size(), contestant + " " + fill);
    return Double.parseDouble(bars.get(0).getAttribute("width"));
  }

  @Test
  void theSameResultsGiveTheSamePage(@TempDir Path folder) throws Exception {
    Page page =
        page(List.of(new Row("own", SPEED, Target.AHEAD)), List.of(TOPIC), List.of(BY_THREADS));
    Path first = Files.createDirectory(folder.resolve("first"));
    Path second = Files.createDirectory(folder.resolve("second"));
    page.write(first, List.of());
    page.write(second, List.of());
    for (String file :
        List.of(
            "performance.md",
            "performance/all.md",
            "performance/OwnLock.svg",
            "performance/OneLock-threads.svg")) {
      assertEquals(-1, Files.mismatch(first.resolve(file), second.resolve(file)), file);
    }
  }

  private static String line(Row row) throws IOException, URISyntaxException {
    return page(List.of(row), List.of(), List.of()).table().get(2);
  }

  private static Page page(List<Row> rows, List<Topic> topics, List<Curve> curves)
      throws IOException, URISyntaxException {
    return new Page(sample(), List.of(), rows, topics, curves);
  }

  private static Results sample() throws IOException, URISyntaxException {
    return Results.read(
        Path.of(Objects.requireNonNull(PageTest.class.getResource("results")).toURI()));
  }
}

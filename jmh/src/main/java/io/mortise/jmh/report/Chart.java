package io.mortise.jmh.report;

import java.awt.Color;
import java.awt.Dimension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.w3c.dom.Document;

/** Bars, one for each contestant, drawn by XChart and written as SVG by Batik. */
final class Chart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 340;

  /** A bar: what it stands for, and what each round measured. */
  record Bar(String label, Spread spread) {}

  private final CategoryChart chart;

  Chart(Topic topic, List<Bar> bars) {
    chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(topic.title())
            .yAxisTitle(topic.unit())
            .build();
    chart.getStyler().setLegendVisible(false);
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(floor(bars));
    chart.getStyler().setAvailableSpaceFill(0.5);
    chart.getStyler().setXAxisLabelRotation(20);
    chart.getStyler().setErrorBarsColor(Color.DARK_GRAY);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setSeriesColors(new Color[] {new Color(0x3b6ea5)});
    chart.addSeries(
        topic.unit(),
        bars.stream().map(Bar::label).toList(),
        bars.stream().map(bar -> bar.spread().median()).toList(),
        bars.stream().map(bar -> (bar.spread().most() - bar.spread().least()) / 2).toList());
  }

  /** The power of ten below all bars: the axis is logarithmic and has no zero. */
  private static double floor(List<Bar> bars) {
    double least = bars.stream().mapToDouble(bar -> bar.spread().least()).min().orElse(1);
    return Math.pow(10, Math.floor(Math.log10(least / 1.5)));
  }

  private static Document document() {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument("http://www.w3.org/2000/svg", "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("the JDK makes no empty document", e);
    }
  }

  void write(Path file) throws IOException {
    SVGGraphics2D graphics = new SVGGraphics2D(document());
    graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
    chart.paint(graphics, WIDTH, HEIGHT);
    try (var out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      graphics.stream(out, true);
    }
  }
}

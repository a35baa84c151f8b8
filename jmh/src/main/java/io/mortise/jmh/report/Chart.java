package io.mortise.jmh.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Rectangle;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.IntervalBarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.category.DefaultIntervalCategoryDataset;
import org.w3c.dom.Document;

/**
 * Bars to the median, one for each contestant, with a line from the smallest to the largest value;
 * the axis is logarithmic. Drawn by JFreeChart and written as SVG by Batik.
 */
final class Chart {
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);
  private static final int WIDTH = 860;
  private static final int HEIGHT = 110;
  private static final int HEIGHT_OF_BAR = 24;

  /** A bar: what it stands for, and what each round measured. */
  record Bar(String label, Spread spread) {}

  private final JFreeChart chart;
  private final int height;

  Chart(Topic topic, List<Bar> bars) {
    height = HEIGHT + HEIGHT_OF_BAR * bars.size();
    LogAxis axis = new LogAxis(topic.unit());
    axis.setTickUnit(new NumberTickUnit(1)); // powers of ten
    axis.setNumberFormatOverride(
        new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)));
    CategoryAxis labels = new CategoryAxis();
    labels.setMaximumCategoryLabelWidthRatio(0.4f);
    CategoryPlot plot = new CategoryPlot(null, labels, axis, null);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setDataset(0, spreads(bars));
    plot.setRenderer(0, lines());
    plot.setDataset(1, medians(topic, bars));
    plot.setRenderer(1, bars(floor(bars)));
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    axis.setRange(floor(bars), ceiling(bars));
    chart = new JFreeChart(topic.title(), TITLE, plot, false);
    chart.setBackgroundPaint(Color.WHITE);
  }

  private static DefaultCategoryDataset medians(Topic topic, List<Bar> bars) {
    DefaultCategoryDataset medians = new DefaultCategoryDataset();
    bars.forEach(bar -> medians.addValue(bar.spread().median(), topic.unit(), bar.label()));
    return medians;
  }

  private static DefaultIntervalCategoryDataset spreads(List<Bar> bars) {
    Double[] least = bars.stream().map(bar -> bar.spread().least()).toArray(Double[]::new);
    Double[] most = bars.stream().map(bar -> bar.spread().most()).toArray(Double[]::new);
    return new DefaultIntervalCategoryDataset(
        new String[] {"spread"},
        bars.stream().map(Bar::label).toArray(String[]::new),
        new Double[][] {least},
        new Double[][] {most});
  }

  private static BarRenderer bars(double base) {
    BarRenderer renderer = new BarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setSeriesPaint(0, new Color(0x7fa8d1));
    renderer.setBase(base);
    return renderer;
  }

  private static IntervalBarRenderer lines() {
    IntervalBarRenderer renderer = new IntervalBarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setMaximumBarWidth(0.008);
    renderer.setSeriesPaint(0, Color.DARK_GRAY);
    renderer.setSeriesOutlineStroke(0, new BasicStroke(1));
    return renderer;
  }

  /** The power of ten below all bars: a logarithmic axis has no zero. */
  private static double floor(List<Bar> bars) {
    double least = bars.stream().mapToDouble(bar -> bar.spread().least()).min().orElse(1);
    return Math.pow(10, Math.floor(Math.log10(least / 1.5)));
  }

  private static double ceiling(List<Bar> bars) {
    return 1.3 * bars.stream().mapToDouble(bar -> bar.spread().most()).max().orElse(1);
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
    graphics.setSVGCanvasSize(new Dimension(WIDTH, height));
    chart.draw(graphics, new Rectangle(WIDTH, height));
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      graphics.stream(out, true);
    }
  }
}

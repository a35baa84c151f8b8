package io.mortise.jmh.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.IntervalBarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.Range;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.category.DefaultIntervalCategoryDataset;

/**
 * Bars to the median, one for each contestant, with a line from the smallest to the largest value.
 * The axis is logarithmic.
 */
final class Chart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 110;
  private static final int HEIGHT_OF_BAR = 24;

  /** A bar: its label, and the values of all rounds. */
  record Bar(String label, Spread spread) {}

  private final JFreeChart chart;
  private final int height;

  Chart(Topic topic, List<Bar> bars) {
    height = HEIGHT + HEIGHT_OF_BAR * bars.size();
    LogAxis axis = Drawing.logarithmic(topic.unit());
    Range range = Drawing.around(range(bars));
    axis.setRange(range);
    CategoryAxis labels = new CategoryAxis();
    labels.setMaximumCategoryLabelWidthRatio(0.4f);
    CategoryPlot plot = new CategoryPlot(null, labels, axis, null);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setDataset(0, spreads(bars));
    plot.setRenderer(0, lines());
    plot.setDataset(1, medians(topic, bars));
    plot.setRenderer(1, bars(range.getLowerBound()));
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    chart = Drawing.titled(topic.title(), plot, false);
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

  private static Range range(List<Bar> bars) {
    double least = bars.stream().mapToDouble(bar -> bar.spread().least()).min().orElse(1);
    double most = bars.stream().mapToDouble(bar -> bar.spread().most()).max().orElse(1);
    return new Range(least, most);
  }

  void write(Path file) throws IOException {
    Drawing.write(chart, WIDTH, height, file);
  }
}

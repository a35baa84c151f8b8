package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Paint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
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
import org.jspecify.annotations.Nullable;

/**
 * Bars to the median, one for each contestant, with a line from the smallest to the largest value.
 * What was measured in the same setting stands together. The axis is logarithmic.
 */
final class Chart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 110;
  private static final int HEIGHT_OF_ROW = 24;

  /** A bar: its contestant, the setting of the measurement, and the values of all rounds. */
  record Bar(Contestant contestant, String setting, Spread spread) {}

  /** A row of the chart: a bar, or the name of the setting of the bars below. */
  private record Place(int number, String label, @Nullable Bar bar) implements Comparable<Place> {
    @Nullable Double value(ToDoubleFunction<Spread> figure) {
      return bar == null ? null : figure.applyAsDouble(bar.spread());
    }

    @Override
    public int compareTo(Place other) {
      return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
      return label; // JFreeChart writes it beside the bar
    }
  }

  private final JFreeChart chart;
  private final int height;

  Chart(Topic topic, List<Bar> bars) {
    List<Place> places = places(bars);
    height = HEIGHT + HEIGHT_OF_ROW * places.size();
    LogAxis axis = Drawing.logarithmic(topic.unit());
    Range range = Drawing.around(range(bars));
    axis.setRange(range);
    CategoryPlot plot = new CategoryPlot(null, labels(places), axis, null);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setDataset(0, spreads(places));
    plot.setRenderer(0, lines(height));
    plot.setDataset(1, medians(topic, places));
    plot.setRenderer(1, new Coloured(places, range.getLowerBound()));
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    chart = Drawing.titled(topic.title(), plot, false);
  }

  private static List<Place> places(List<Bar> bars) {
    boolean named = bars.stream().map(Bar::setting).distinct().count() > 1;
    List<Place> places = new ArrayList<>();
    String setting = "";
    for (Bar bar : bars) {
      if (named && !bar.setting().equals(setting)) {
        setting = bar.setting();
        places.add(new Place(places.size(), setting, null));
      }
      places.add(new Place(places.size(), bar.contestant().title(), bar));
    }
    return places;
  }

  private static CategoryAxis labels(List<Place> places) {
    CategoryAxis labels = new CategoryAxis();
    labels.setMaximumCategoryLabelWidthRatio(0.4f);
    Font bold = labels.getTickLabelFont().deriveFont(Font.BOLD);
    places.stream()
        .filter(place -> place.bar() == null)
        .forEach(name -> labels.setTickLabelFont(name, bold));
    return labels;
  }

  private static DefaultCategoryDataset medians(Topic topic, List<Place> places) {
    DefaultCategoryDataset medians = new DefaultCategoryDataset();
    places.forEach(place -> medians.addValue(place.value(Spread::median), topic.unit(), place));
    return medians;
  }

  private static DefaultIntervalCategoryDataset spreads(List<Place> places) {
    Double[] least = places.stream().map(it -> it.value(Spread::least)).toArray(Double[]::new);
    Double[] most = places.stream().map(it -> it.value(Spread::most)).toArray(Double[]::new);
    return new DefaultIntervalCategoryDataset(
        new String[] {"spread"},
        places.toArray(Place[]::new),
        new Double[][] {least},
        new Double[][] {most});
  }

  /** Bars in the colours of their contestants. */
  private static final class Coloured extends BarRenderer {
    private static final long serialVersionUID = 1;
    private final transient List<Place> places;

    Coloured(List<Place> places, double base) {
      this.places = places;
      setBarPainter(new StandardBarPainter());
      setShadowVisible(false);
      setBase(base);
    }

    @Override
    public Paint getItemPaint(int row, int column) {
      Bar bar = places.get(column).bar();
      return bar == null ? Color.WHITE : Palette.of(bar.contestant());
    }
  }

  private static IntervalBarRenderer lines(int height) {
    IntervalBarRenderer renderer = new IntervalBarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setMaximumBarWidth(2.0 / height); // some 2 pixels
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

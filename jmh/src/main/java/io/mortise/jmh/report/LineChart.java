package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.Ellipse2D;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.Range;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** A line through the medians of each contestant. Both axes are logarithmic. */
final class LineChart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 360;
  private static final double RADIUS = 3;
  private static final double MARGIN = 1.2;
  private static final int FEW = 100;

  private final JFreeChart chart;

  LineChart(Topic topic, String over, Map<Contestant, NavigableMap<Integer, Spread>> lines) {
    XYSeriesCollection medians = new XYSeriesCollection();
    lines.forEach((contestant, line) -> medians.addSeries(series(contestant, line)));
    Range places = medians.getDomainBounds(false);
    LogAxis domain = Drawing.logarithmic(over);
    domain.setBase(places.getUpperBound() < FEW ? 2 : 10); // has a tick at each power of it
    domain.setRange(places.getLowerBound() / MARGIN, places.getUpperBound() * MARGIN);
    LogAxis range = Drawing.logarithmic(topic.unit());
    range.setRange(Drawing.around(medians.getRangeBounds(false)));
    XYPlot plot = new XYPlot(medians, domain, range, renderer(lines.keySet()));
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
    chart = Drawing.titled(topic.title(), plot, true);
  }

  /** The line without zeros, which have no place on a logarithmic axis. */
  private static XYSeries series(Contestant contestant, NavigableMap<Integer, Spread> line) {
    XYSeries series = new XYSeries(contestant.title());
    line.forEach((place, spread) -> {
      if (spread.median() > 0) {
        series.add(place.doubleValue(), spread.median());
      }
    });
    return series;
  }

  private static XYLineAndShapeRenderer renderer(Collection<Contestant> contestants) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();
    int series = 0;
    for (Contestant each : contestants) {
      renderer.setSeriesPaint(series, Palette.of(each));
      renderer.setSeriesStroke(series, new BasicStroke(2));
      renderer.setSeriesShape(
          series, new Ellipse2D.Double(-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS));
      series++;
    }
    return renderer;
  }

  void write(Path file) throws IOException {
    Drawing.write(chart, WIDTH, HEIGHT, file);
  }
}

package io.mortise.jmh.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.Ellipse2D;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** A line through the medians of each contestant; both axes are logarithmic. */
final class LineChart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 360;
  private static final double RADIUS = 3;
  private static final Color[] COLOURS = {
    new Color(0x1f5f99), new Color(0x5aa469), new Color(0xc0504d), new Color(0x8064a2)
  };

  private final JFreeChart chart;

  LineChart(Topic topic, String over, Map<String, NavigableMap<Integer, Spread>> lines) {
    XYSeriesCollection medians = new XYSeriesCollection();
    lines.forEach((contestant, line) -> medians.addSeries(series(contestant, line)));
    XYPlot plot =
        new XYPlot(
            medians, Drawing.logarithmic(over), Drawing.logarithmic(topic.unit()), renderer());
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
    plot.getRangeAxis().setRange(Drawing.around(medians.getRangeBounds(true)));
    plot.getDomainAxis().setRange(Drawing.around(medians.getDomainBounds(true)));
    chart = Drawing.titled(topic.title(), plot, true);
  }

  /** Without those that are zero, for which a logarithmic axis has no place. */
  private static XYSeries series(String contestant, NavigableMap<Integer, Spread> line) {
    XYSeries series = new XYSeries(contestant);
    line.forEach((place, spread) -> {
      if (spread.median() > 0) {
        series.add(place.doubleValue(), spread.median());
      }
    });
    return series;
  }

  private static XYLineAndShapeRenderer renderer() {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();
    for (int i = 0; i < COLOURS.length; i++) {
      renderer.setSeriesPaint(i, COLOURS[i]);
      renderer.setSeriesStroke(i, new BasicStroke(2));
      renderer.setSeriesShape(i, new Ellipse2D.Double(-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS));
    }
    return renderer;
  }

  void write(Path file) throws IOException {
    Drawing.write(chart, WIDTH, HEIGHT, file);
  }
}

package io.mortise.jmh.report;

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
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.Range;
import org.w3c.dom.Document;

/** The common parts of all charts. JFreeChart draws them, and Batik writes them as SVG. */
final class Drawing {
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);

  /** The last number of an axis may stand above the plot's edge, and is cut off without room. */
  private static final int HALF_A_NUMBER = 35;

  private Drawing() {}

  static JFreeChart titled(String title, Plot plot, boolean legend) {
    JFreeChart chart = new JFreeChart(title, TITLE, plot, legend);
    chart.setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(0, 0, 0, HALF_A_NUMBER));
    return chart;
  }

  static LogAxis logarithmic(String label) {
    LogAxis axis = new LogAxis(label);
    axis.setTickUnit(new NumberTickUnit(1)); // powers of ten
    axis.setNumberFormatOverride(
        new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)));
    return axis;
  }

  /** The range from the power of ten below all values, because a logarithmic axis has no zero. */
  static Range around(Range values) {
    double least = values.getLowerBound() / 1.5;
    return new Range(Math.pow(10, Math.floor(Math.log10(least))), 1.3 * values.getUpperBound());
  }

  static void write(JFreeChart chart, int width, int height, Path file) throws IOException {
    TextUtils.setUseDrawRotatedStringWorkaround(false); // it draws letters as outlines
    SVGGraphics2D graphics = new SVGGraphics2D(document());
    graphics.setSVGCanvasSize(new Dimension(width, height));
    chart.draw(graphics, new Rectangle(width, height));
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      graphics.stream(out, true);
    }
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
}

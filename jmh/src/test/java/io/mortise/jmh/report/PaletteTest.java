package io.mortise.jmh.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.contestant.Contestant;
import java.awt.Color;
import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class PaletteTest {
  @Test
  void noTwoContestantsHaveOneColour() {
    Contestant[] all = Contestant.values();
    assertEquals(all.length, Arrays.stream(all).map(Palette::of).distinct().count());
  }

  @Test
  void oursAreTheStrongest() {
    double weakest = saturations(true).min().getAsDouble();
    double strongest = saturations(false).max().getAsDouble();
    assertTrue(weakest > strongest, weakest + " > " + strongest);
  }

  private static DoubleStream saturations(boolean ours) {
    return Arrays.stream(Contestant.values())
        .filter(each -> each.title().startsWith("Mortise") == ours)
        .mapToDouble(PaletteTest::saturation);
  }

  private static double saturation(Contestant contestant) {
    Color colour = Palette.of(contestant);
    return Color.RGBtoHSB(colour.getRed(), colour.getGreen(), colour.getBlue(), null)[1];
  }
}

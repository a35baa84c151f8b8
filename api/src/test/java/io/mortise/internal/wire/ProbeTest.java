package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.mortise.internal.wire.Probe.Hop;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("L30")
class ProbeTest {
  private static final String WAIT = "0005f3a2b1c4d5e6.9f8e7d6c5b4a3f2e.1f";
  private static final String HEAD = "probe 1 host~7~ab 12- " + WAIT;

  private static Hop hop(int number) {
    return new Hop("host~7~ab:" + number + ":31:k", WAIT, Probe.pack(List.of("über", "a b")));
  }

  private static Probe of(int hops) {
    Probe probe = new Probe("host~7~ab", 12, true, WAIT, List.of());
    for (int i = 0; i < hops; i++) {
      probe = probe.with(hop(i));
    }
    return probe;
  }

  @Test
  void whatIsWrittenIsRead() {
    for (int hops = 0; hops <= Probe.MOST_HOPS; hops++) {
      assertEquals(of(hops), Probe.read(of(hops).text()));
    }
    assertNotNull(Probe.read(HEAD));
  }

  /** The form is made when the class is loaded, and a regular expression has ASCII digits only. */
  @Test
  void whatIsReadDoesNotDependOnTheLocale() throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    URL classes = Probe.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader again =
        new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
      Object read =
          again
              .loadClass(Probe.class.getName())
              .getMethod("read", String.class)
              .invoke(null, of(2).text());
      assertEquals(of(2).toString(), String.valueOf(read));
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void tooManyHopsAreNotRead() {
    assertNull(Probe.read(of(Probe.MOST_HOPS + 1).text()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "probe",
        "probe ",
        "probe 2 host~7~ab 12- " + WAIT,
        "probe 1 host~7~ab 12 " + WAIT,
        "probe 1 host~7~ab 1234567890123456789- " + WAIT,
        "probe 1 host~7~ab -1- " + WAIT,
        "probe 1 host~7~ab 12- 5f3a2",
        "probe 1 host~7~ab 12- " + WAIT + "0123456789abcdef0",
        HEAD + " ",
        HEAD + " one",
        HEAD + " a,b,c",
        HEAD + " id," + WAIT,
        HEAD + " id," + WAIT + ",+",
        HEAD + "  id," + WAIT + ",",
      })
  void anotherFormIsNotRead(String words) {
    assertNull(Probe.read(words));
  }

  @Test
  void aHugeMessageIsNotRead() {
    assertNull(Probe.read(HEAD + " a".repeat(1_000_000)));
    assertNull(Probe.read(HEAD + " " + "a".repeat(1_000_000)));
    assertNull(Probe.read(HEAD + " a".repeat(30_000)));
    assertNull(Probe.read("probe" + " ".repeat(60_000)));
  }

  @Test
  void aLongNameAndLineBreaksAreCut() {
    List<String> read = Probe.unpack(Probe.pack(List.of("two\r\nlines", "x".repeat(5_000), "")));

    assertEquals(List.of("two lines", "x".repeat(197) + '…', ""), read);
    assertEquals(List.of(), Probe.unpack("a")); // no whole byte
  }

  @Test
  void textsAreCutByBytesBetweenWholeCharacters() {
    List<String> texts =
        List.of("é".repeat(100), "é".repeat(101), "😀".repeat(51), "\ud83d".repeat(201));

    List<String> read = Probe.unpack(Probe.pack(texts));

    assertEquals(texts.get(0), read.get(0));
    assertEquals("é".repeat(98) + '…', read.get(1));
    assertEquals("😀".repeat(49) + '…', read.get(2));
    assertEquals("?".repeat(197) + '…', read.get(3)); // half a character, as Java writes it
  }

  @Test
  void theLongestCircleIsReadWhateverItsTextsAre() {
    String details = Probe.pack(Collections.nCopies(12, "語".repeat(200)));
    Probe probe = of(0);
    for (int i = 0; i < Probe.MOST_HOPS; i++) {
      probe = probe.with(new Hop("h".repeat(300), WAIT, details));
    }

    assertEquals(probe, Probe.read(probe.text()));
  }
}

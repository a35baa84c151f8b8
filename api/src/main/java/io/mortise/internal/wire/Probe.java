package io.mortise.internal.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The words of a message that looks for a deadlock. It goes from a thread that waits to the threads
 * that hold what it waits for, and from those on. On its way it collects hops. Immutable.
 *
 * @param client the service that has sent the first one
 * @param walk a number that rises with each walk of that service
 * @param detailed whether hops have details for people
 * @param waitId the wait of the thread where it began, as in a hop
 * @param hops the threads through which it went
 */
public record Probe(String client, long walk, boolean detailed, String waitId, List<Hop> hops) {
  /**
   * A thread that holds a lock, and waits for another.
   *
   * @param hold the acquisition id by which it holds
   * @param waitId its wait: the time at which it began, its process and its thread. Of two waits,
   *     the younger one is the larger text
   * @param details texts for people, as {@link #pack} makes them; may be empty
   */
  public record Hop(String hold, String waitId, String details) {
    /** What does not change while the thread goes on to hold that and to wait there. */
    public String edge() {
      return hold + ',' + waitId;
    }
  }

  /** The first word of the message. */
  public static final String KIND = "probe";

  /** The form of the words. A service ignores forms that it does not know. */
  private static final String VERSION = "1";

  /** A probe that has been through so many threads ends. */
  public static final int MOST_HOPS = 16;

  private static final int LONGEST = 1 << 16;

  /** In bytes. So the details of all hops fit into the longest message. */
  private static final int LONGEST_DETAIL = 200;

  private static final String CUT = "…";

  private static final String WAIT = "[0-9a-f]{16}\\.[0-9a-f]{16}\\.[0-9a-f]{1,16}";
  private static final Pattern HOP =
      Pattern.compile(" ([^ |,]{1,300}),(" + WAIT + "),([A-Za-z0-9_-]*)");

  /** The number is no %d: that has other digits in some locales. */
  private static final Pattern FORM =
      Pattern.compile(
          "%s %s ([^ |]{1,200}) (\\d{1,18})([+-]) (%s)((?:%s){0,%s})"
              .formatted(KIND, VERSION, WAIT, HOP, MOST_HOPS));

  public Probe {
    hops = List.copyOf(hops);
  }

  /** The same, when it has been through one more thread. */
  public Probe with(Hop next) {
    List<Hop> more = new ArrayList<>(hops);
    more.add(next);
    return new Probe(client, walk, detailed, waitId, more);
  }

  /** The words of its message. */
  public String text() {
    StringBuilder text = new StringBuilder(KIND + ' ' + VERSION + ' ');
    text.append(client).append(' ').append(walk).append(detailed ? '+' : '-');
    text.append(' ').append(waitId);
    hops.forEach(hop -> text.append(' ').append(hop.edge()).append(',').append(hop.details()));
    return text.toString();
  }

  /** Reads the words of a message; null if they have another form, or are too many. */
  public static @Nullable Probe read(String words) {
    Matcher whole = FORM.matcher(words);
    if (words.length() > LONGEST || !whole.matches()) {
      return null;
    }
    List<Hop> hops =
        HOP.matcher(whole.group(5))
            .results()
            .map(hop -> new Hop(hop.group(1), hop.group(2), hop.group(3)))
            .toList();
    long walk = Long.parseLong(whole.group(2));
    return new Probe(whole.group(1), walk, whole.group(3).equals("+"), whole.group(4), hops);
  }

  /** Packs texts for people into one word. Those of more than 200 bytes of UTF-8 are cut. */
  public static String pack(List<String> texts) {
    String lines =
        texts.stream()
            .map(each -> cut(each.replaceAll("\\R", " ")))
            .collect(Collectors.joining("\n"));
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(lines.getBytes(StandardCharsets.UTF_8));
  }

  /** A character that is cut in its middle is decoded as U+FFFD, and goes. */
  private static String cut(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    int room = LONGEST_DETAIL - CUT.getBytes(StandardCharsets.UTF_8).length;
    return bytes.length <= LONGEST_DETAIL
        ? line
        : new String(bytes, 0, room, StandardCharsets.UTF_8).replaceFirst("\uFFFD+$", "") + CUT;
  }

  /** What {@link #pack} has packed; no texts if it is not of that form. */
  public static List<String> unpack(String details) {
    try {
      return List.of(
          new String(Base64.getUrlDecoder().decode(details), StandardCharsets.UTF_8)
              .split("\n", -1));
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }
}

package io.mortise.internal.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final Pattern HEAD =
      Pattern.compile(KIND + " " + VERSION + " ([^ |]{1,200}) (\\d{1,18})([+-]) (" + WAIT + ")");

  /** How many words the head has. */
  private static final int HEAD_WORDS = 5;

  private static final Pattern HOP =
      Pattern.compile("([^ |,]{1,300}),(" + WAIT + "),([A-Za-z0-9_-]*)");

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
    if (words.length() > LONGEST) {
      return null;
    }
    List<String> all = List.of(words.split(" ", HEAD_WORDS + MOST_HOPS + 1));
    Matcher head = HEAD.matcher(String.join(" ", all.subList(0, Math.min(HEAD_WORDS, all.size()))));
    if (!head.matches() || all.size() > HEAD_WORDS + MOST_HOPS) {
      return null;
    }
    List<Hop> hops = new ArrayList<>();
    for (String word : all.subList(HEAD_WORDS, all.size())) {
      Matcher hop = HOP.matcher(word);
      if (!hop.matches()) {
        return null;
      }
      hops.add(new Hop(hop.group(1), hop.group(2), hop.group(3)));
    }
    long walk = Long.parseLong(head.group(2));
    return new Probe(head.group(1), walk, head.group(3).equals("+"), head.group(4), hops);
  }

  /** Packs texts for people into one word. Those of more than 200 bytes of UTF-8 are cut. */
  public static String pack(List<String> texts) {
    List<String> lines = new ArrayList<>();
    for (String each : texts) {
      lines.add(cut(each.replaceAll("\\R", " ")));
    }
    byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The encoder stops before the first character that has no room as a whole. */
  private static String cut(String line) {
    if (bytes(line) <= LONGEST_DETAIL) {
      return line;
    }
    CharBuffer rest = CharBuffer.wrap(line);
    CoderResult unused =
        StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .encode(rest, ByteBuffer.allocate(LONGEST_DETAIL - bytes(CUT)), true);
    return line.substring(0, rest.position()) + CUT;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
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

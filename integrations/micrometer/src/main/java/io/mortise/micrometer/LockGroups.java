package io.mortise.micrometer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Puts the names of locks into groups, which are few enough to be a tag of a meter. Names such as
 * {@code orders:42} are not. The number of groups has a bound. When it is reached, the names of
 * further groups are in the group {@code other}. Thread-safe.
 *
 * <p>An object keeps the groups that it has seen. Use one object for the meters and the
 * observations of a process, so that both show the same groups.
 */
public final class LockGroups {
  /** The group of all names that are in no other one. */
  public static final String OTHER = "other";

  /** How many groups there are at most, unless told otherwise; {@link #OTHER} is one more. */
  public static final int DEFAULT_MAX_GROUPS = 100;

  /** What remains of a separator before a digit, as in {@code order-42}. */
  private static final String TRAILING = "-_.#{";

  private final String description;
  private final UnaryOperator<String> rule;
  private final int maxGroups;
  private final Map<String, String> known = new ConcurrentHashMap<>();
  private volatile boolean full;

  private LockGroups(String description, UnaryOperator<String> rule, int maxGroups) {
    if (maxGroups < 1) {
      throw new IllegalArgumentException(
          "max-groups %d is no bound for %s; without a bound each new group adds meters for ever, so give at least 1"
              .formatted(maxGroups, description));
    }
    this.description = description;
    this.rule = rule;
    this.maxGroups = maxGroups;
  }

  /**
   * Groups by {@link #prefixes(int)}, and at most {@link #DEFAULT_MAX_GROUPS} of them.
   *
   * @return new groups
   */
  public static LockGroups prefixes() {
    return prefixes(DEFAULT_MAX_GROUPS);
  }

  /**
   * The group of a name is the text before its first {@code :}, {@code /} or digit. A dash,
   * underscore, dot, {@code #} or opening brace at the end of that text is left out. So {@code
   * orders:42}, {@code orders/42} and {@code orders-42} are in the group {@code orders}. A name
   * with no text before is in the group {@code other}.
   *
   * @param maxGroups how many groups there are at most, {@link #OTHER} not counted; at least 1
   * @return new groups
   * @throws IllegalArgumentException {@code maxGroups} is less than 1
   */
  public static LockGroups prefixes(int maxGroups) {
    return new LockGroups("prefixes", LockGroups::prefix, maxGroups);
  }

  /**
   * All names are in one group, {@code none}.
   *
   * @return new groups
   */
  public static LockGroups none() {
    return new LockGroups("none", name -> "none", 1);
  }

  /**
   * The group of a name is the first pattern that fits the whole name. In a pattern {@code *}
   * stands for any text, and all other characters stand for themselves. A name that no pattern fits
   * is in the group {@code other}. Each pattern before the fitting one costs some tens of
   * nanoseconds.
   *
   * @param patterns such as {@code orders:*}, at least one
   * @param maxGroups how many patterns there may be at most
   * @return new groups
   * @throws IllegalArgumentException there are no patterns, a blank one, one twice, or more than
   *     {@code maxGroups}
   */
  public static LockGroups patterns(List<String> patterns, int maxGroups) {
    List<String> texts = List.copyOf(patterns);
    LockGroups groups = new LockGroups("patterns " + texts, firstOf(texts), maxGroups);
    if (texts.isEmpty()) {
      throw new IllegalArgumentException("no patterns are given; give one, or use none()");
    }
    if (texts.size() > maxGroups) {
      throw new IllegalArgumentException(
          "%d patterns are more than max-groups %d; give fewer patterns or raise max-groups"
              .formatted(texts.size(), maxGroups));
    }
    if (texts.stream().anyMatch(String::isBlank)
        || texts.stream().distinct().count() < texts.size()) {
      throw new IllegalArgumentException("a pattern is blank or there twice: " + texts);
    }
    return groups;
  }

  /**
   * Groups as a setting describes them.
   *
   * @param setting {@code prefix}, {@code none}, or patterns with commas between them
   * @param maxGroups how many groups there are at most, {@link #OTHER} not counted; at least 1
   * @return new groups
   * @throws IllegalArgumentException as for {@link #prefixes(int)} and {@link #patterns}
   */
  public static LockGroups of(String setting, int maxGroups) {
    return switch (setting.strip()) {
      case "prefix" -> prefixes(maxGroups);
      case "none" -> none();
      default -> patterns(Stream.of(setting.split(",", -1)).map(String::strip).toList(), maxGroups);
    };
  }

  /**
   * The group of a lock.
   *
   * @param name the lock's name
   * @return its group, of which there are no more than the bound and {@link #OTHER}
   */
  public String of(String name) {
    String group = rule.apply(name);
    String seen = known.get(group);
    if (seen != null) {
      return seen;
    }
    return full ? OTHER : admitted(group);
  }

  private synchronized String admitted(String group) {
    if (group.equals(OTHER)) {
      return OTHER;
    }
    if (known.size() < maxGroups) {
      known.putIfAbsent(group, group);
    }
    full = known.size() >= maxGroups;
    return known.getOrDefault(group, OTHER);
  }

  private static String prefix(String name) {
    int end = 0;
    while (end < name.length() && !endsPrefix(name.charAt(end))) {
      end++;
    }
    while (end > 0 && TRAILING.indexOf(name.charAt(end - 1)) >= 0) {
      end--;
    }
    return end == 0 ? OTHER : name.substring(0, end);
  }

  private static boolean endsPrefix(char letter) {
    return letter == ':' || letter == '/' || (letter >= '0' && letter <= '9');
  }

  private static UnaryOperator<String> firstOf(List<String> texts) {
    record Rule(String text, Pattern pattern) {}
    List<Rule> rules = texts.stream().map(text -> new Rule(text, compiled(text))).toList();
    return name ->
        rules.stream()
            .filter(each -> each.pattern.matcher(name).matches())
            .map(Rule::text)
            .findFirst()
            .orElse(OTHER);
  }

  private static Pattern compiled(String text) {
    List<String> literals = Stream.of(text.split("\\*", -1)).map(Pattern::quote).toList();
    return Pattern.compile(String.join(".*", literals), Pattern.DOTALL);
  }

  @Override
  public String toString() {
    return description + ", at most " + maxGroups;
  }
}

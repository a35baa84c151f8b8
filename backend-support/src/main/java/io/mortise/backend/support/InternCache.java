package io.mortise.backend.support;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache of values made from recently seen texts. Most words of a call occur in many other calls,
 * so each value is made once. A text has one place, given by its hash; a new text replaces the old
 * one there. Thread-safe.
 *
 * @param <T> an immutable type
 */
public final class InternCache<T> {
  private static final int PLACES = 1024;
  private static final int LONGEST = 128;

  private record Entry<T>(String text, T made) {}

  private final Function<String, T> maker;

  /**
   * Written without a lock. An {@code Entry} is a record, so a reader sees it whole. An entry that
   * a thread does not see is made again.
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private final @Nullable Entry<T>[] entries = new Entry[PLACES];

  /**
   * Creates an empty cache.
   *
   * @param maker makes equal values of equal texts
   */
  public InternCache(Function<String, T> maker) {
    this.maker = maker;
  }

  /**
   * The value of a text, from the cache or made now.
   *
   * @param text a word; words longer than 128 characters are not kept
   * @return the value
   */
  public T of(String text) {
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    Entry<T> known = entries[place];
    if (known != null && known.text.equals(text)) {
      return known.made;
    }
    T made = maker.apply(text);
    if (text.length() <= LONGEST) {
      entries[place] = new Entry<>(text, made);
    }
    return made;
  }
}

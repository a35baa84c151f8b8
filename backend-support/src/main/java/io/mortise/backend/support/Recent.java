package io.mortise.backend.support;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was made of the texts seen lately, to be made once: most words of a call are those of many
 * others. A text has one place, by its hash, and whoever comes next to it has it then. Thread-safe.
 *
 * @param <T> immutable
 */
public final class Recent<T> {
  private static final int PLACES = 1024;
  private static final int LONGEST = 128;

  private record Entry<T>(String text, T made) {}

  private final Function<String, T> maker;

  /** Written without a lock: an entry that is seen is whole, and one that is not is made again. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private final @Nullable Entry<T>[] entries = new Entry[PLACES];

  /**
   * Nothing is known yet.
   *
   * @param maker makes the same of the same text
   */
  public Recent(Function<String, T> maker) {
    this.maker = maker;
  }

  /**
   * Looks, or makes.
   *
   * @param text a word; long ones are not kept
   * @return what was made of it
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

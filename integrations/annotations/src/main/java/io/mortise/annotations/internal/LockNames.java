package io.mortise.annotations.internal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names that a call locks.
 *
 * @param who the method, for messages
 * @param several whether a template may give several names, or none
 */
public record LockNames(String who, List<NameTemplate> templates, boolean several) {
  /**
   * The names for a call, each once.
   *
   * @throws IllegalArgumentException there is none, or a part of one is null, blank, or has no text
   *     of its own
   */
  public List<String> of(@Nullable Object[] arguments) {
    if (!several) {
      return List.of(templates.get(0).one(arguments));
    }
    Set<String> names = new LinkedHashSet<>();
    for (NameTemplate template : templates) {
      names.addAll(template.all(arguments));
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          who + ": its lists of lock names are empty, so it would run without a lock");
    }
    return List.copyOf(names);
  }
}

package io.mortise.micronaut;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param text class, method and parameters, for messages
 * @param templates of the lock's name, or of several
 * @param several whether a template may give several names, or none
 * @param service the lock service's bean name; empty for the only or primary one
 */
record LockedMethod(
    String text,
    List<NameTemplate> templates,
    boolean several,
    LockTerms terms,
    String service,
    ResultKind result) {
  /**
   * The names for a call, each once.
   *
   * @throws IllegalArgumentException there is none, or an argument in one is null, blank, or has no
   *     text of its own
   */
  List<String> names(@Nullable Object[] arguments) {
    if (!several) {
      return List.of(templates.get(0).one(arguments));
    }
    Set<String> names = new LinkedHashSet<>();
    for (NameTemplate template : templates) {
      names.addAll(template.all(arguments));
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          text + ": its lists of lock names are empty, so it would run without a lock");
    }
    return List.copyOf(names);
  }

  @Override
  public String toString() {
    return text;
  }
}

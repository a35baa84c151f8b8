package io.mortise.backend.inmemory;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** One ZADD: its options, its pairs of score and member, and the changes it made. */
final class SortedSetAdd {
  private final LuaString[] args;
  private final int firstPair;
  private boolean onlyNew;
  private boolean onlyOld;
  private boolean onlyGreater;
  private boolean onlyLess;
  private boolean countChanged;
  private boolean increments;
  private int added;
  private int updated;

  /** The score that was written last. */
  private @Nullable Double written;

  SortedSetAdd(LuaString[] args) {
    this.args = args;
    int i = 2;
    while (i < args.length && takeOption(args[i])) {
      i++;
    }
    firstPair = i;
    checkOptions();
  }

  private boolean takeOption(LuaString word) {
    if (Words.is(word, "NX")) {
      onlyNew = true;
    } else if (Words.is(word, "XX")) {
      onlyOld = true;
    } else if (Words.is(word, "GT")) {
      onlyGreater = true;
    } else if (Words.is(word, "LT")) {
      onlyLess = true;
    } else if (Words.is(word, "CH")) {
      countChanged = true;
    } else if (Words.is(word, "INCR")) {
      increments = true;
    } else {
      return false;
    }
    return true;
  }

  private void checkOptions() {
    int rest = args.length - firstPair;
    if (rest == 0 || rest % 2 != 0) {
      throw CommandException.syntax();
    }
    if (onlyNew && onlyOld) {
      throw new CommandException("ERR XX and NX options at the same time are not compatible");
    }
    if ((onlyGreater && onlyLess) || (onlyNew && (onlyGreater || onlyLess))) {
      throw new CommandException(
          "ERR GT, LT, and/or NX options at the same time are not compatible");
    }
    if (increments && rest > 2) {
      throw new CommandException("ERR INCR option supports a single increment-element pair");
    }
  }

  LuaValue run(Keyspace keyspace) {
    double[] scores = scores();
    SortedSet set = keyspace.sortedSet(args[1]);
    if (set == null && onlyOld) {
      return increments ? CommandTable.nil() : LuaValue.ZERO;
    }
    if (set == null) {
      set = keyspace.sortedSetOrNew(args[1]);
    }
    for (int i = 0; i < scores.length; i++) {
      put(set, args[firstPair + 2 * i + 1], scores[i]);
    }
    if (increments) {
      return written == null ? CommandTable.nil() : Numbers.text(written.doubleValue());
    }
    return LuaValue.valueOf(countChanged ? added + updated : added);
  }

  /** Reads all scores before anything is changed. */
  private double[] scores() {
    double[] scores = new double[(args.length - firstPair) / 2];
    for (int i = 0; i < scores.length; i++) {
      // Adding zero turns -0 into 0, as Redis stores it.
      scores[i] =
          0.0
              + Numbers.real(
                  Numbers.string(args[firstPair + 2 * i]), "ERR value is not a valid float");
    }
    return scores;
  }

  private void put(SortedSet set, LuaString name, double given) {
    Double old = set.score(name);
    double score = increments && old != null ? old + given : given;
    if (Double.isNaN(score)) {
      throw new CommandException("ERR resulting score is not a number (NaN)");
    }
    if (!allows(old, score)) {
      return;
    }
    written = score;
    if (old == null) {
      set.put(name, score);
      added++;
    } else if (old != score) {
      set.put(name, score);
      updated++;
    }
  }

  private boolean allows(@Nullable Double old, double score) {
    return old == null
        ? !onlyOld
        : !onlyNew && !(onlyGreater && score <= old) && !(onlyLess && score >= old);
  }
}

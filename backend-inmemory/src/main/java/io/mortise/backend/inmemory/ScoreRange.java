package io.mortise.backend.inmemory;

import io.mortise.backend.inmemory.SortedSet.Member;
import java.util.stream.Stream;
import org.luaj.vm2.LuaString;

/** A range of scores in the syntax of commands: {@code 1}, {@code (1}, {@code -inf}. */
record ScoreRange(double min, boolean aboveMin, double max, boolean belowMax) {
  static ScoreRange of(LuaString min, LuaString max) {
    String low = Numbers.string(min);
    String high = Numbers.string(max);
    return new ScoreRange(bound(low), low.startsWith("("), bound(high), high.startsWith("("));
  }

  private static double bound(String text) {
    return Numbers.real(
        text.startsWith("(") ? text.substring(1) : text, "ERR min or max is not a float");
  }

  /** The members in the range, lowest first. */
  Stream<Member> of(SortedSet set) {
    return set.from(min).stream()
        .dropWhile(member -> aboveMin && member.score() == min)
        .takeWhile(member -> belowMax ? member.score() < max : member.score() <= max);
  }
}

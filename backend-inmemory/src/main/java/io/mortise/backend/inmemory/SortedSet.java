package io.mortise.backend.inmemory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Members in the order of score, then of the bytes of their names. */
final class SortedSet {
  /** One member. */
  record Member(double score, LuaString name) {}

  private static final Comparator<Member> ORDER =
      (a, b) -> {
        if (a.score != b.score) {
          return a.score < b.score ? -1 : 1;
        }
        return bytewise(a.name, b.name);
      };

  private final Map<LuaString, Member> byName = new HashMap<>();
  private final NavigableSet<Member> ordered = new TreeSet<>(ORDER);

  @Nullable Double score(LuaString name) {
    Member member = byName.get(name);
    return member == null ? null : member.score;
  }

  void put(LuaString name, double score) {
    remove(name);
    Member member = new Member(score, name);
    byName.put(name, member);
    ordered.add(member);
  }

  boolean remove(LuaString name) {
    Member member = byName.remove(name);
    return member != null && ordered.remove(member);
  }

  int size() {
    return byName.size();
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }

  /** All members, lowest first. */
  NavigableSet<Member> members() {
    return ordered;
  }

  /** The members at these places, lowest first. The search begins at the nearer end. */
  Stream<Member> range(long first, long end) {
    long behind = size() - end;
    if (first <= behind) {
      return ordered.stream().skip(first).limit(end - first);
    }
    List<Member> highestFirst =
        new ArrayList<>(ordered.descendingSet().stream().skip(behind).limit(end - first).toList());
    Collections.reverse(highestFirst);
    return highestFirst.stream();
  }

  /** The members from this score on, lowest first. */
  NavigableSet<Member> from(double score) {
    return ordered.tailSet(new Member(score, LuaValue.EMPTYSTRING), true);
  }

  /** The number of members before this one. It is counted, so only for small sets. */
  int rank(LuaString name) {
    Member member = byName.get(name);
    return member == null ? -1 : ordered.headSet(member, false).size();
  }

  private static int bytewise(LuaString a, LuaString b) {
    return Arrays.compareUnsigned(
        a.m_bytes,
        a.m_offset,
        a.m_offset + a.m_length,
        b.m_bytes,
        b.m_offset,
        b.m_offset + b.m_length);
  }
}

package io.mortise.backend.inmemory;

import io.mortise.backend.inmemory.SortedSet.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Commands on sorted sets. */
final class SortedSetCommands {
  private static final SortedSet NOTHING = new SortedSet();

  private final Keyspace keyspace;

  SortedSetCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  void addTo(CommandTable table) {
    table.add("ZADD", -4, args -> new SortedSetAdd(args).run(keyspace));
    table.add("ZREM", -3, this::zrem);
    table.add("ZSCORE", 3, this::zscore);
    table.add("ZMSCORE", -3, this::zmscore);
    table.add("ZCARD", 2, args -> LuaValue.valueOf(read(args[1]).size()));
    table.add("ZCOUNT", 4, this::zcount);
    table.add("ZRANGE", -4, this::zrange);
    table.add("ZRANGEBYSCORE", -4, args -> byScore(args, 4));
    table.add("ZREMRANGEBYSCORE", 4, this::zremrangebyscore);
    table.add("ZPOPMIN", -2, this::zpopmin);
    table.add("ZRANK", 3, this::zrank);
  }

  /** The set to read from; an empty one if there is no such key. */
  private SortedSet read(LuaString key) {
    SortedSet set = keyspace.sortedSet(key);
    return set == null ? NOTHING : set;
  }

  /** Changes the set, if there is one. Removes its key if the set is then empty. */
  private LuaValue change(LuaString key, ToIntFunction<SortedSet> change) {
    SortedSet set = keyspace.sortedSet(key);
    if (set == null) {
      return LuaValue.ZERO;
    }
    int changed = change.applyAsInt(set);
    if (set.isEmpty()) {
      keyspace.delete(key);
    }
    return LuaValue.valueOf(changed);
  }

  private LuaValue zrem(LuaString[] args) {
    return change(
        args[1],
        set -> {
          int removed = 0;
          for (int i = 2; i < args.length; i++) {
            removed += set.remove(args[i]) ? 1 : 0;
          }
          return removed;
        });
  }

  private LuaValue zscore(LuaString[] args) {
    return score(read(args[1]), args[2]);
  }

  private LuaValue zmscore(LuaString[] args) {
    SortedSet set = read(args[1]);
    List<LuaValue> scores = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      scores.add(score(set, args[i]));
    }
    return CommandTable.array(scores);
  }

  private static LuaValue score(SortedSet set, LuaString member) {
    Double score = set.score(member);
    return score == null ? CommandTable.nil() : Numbers.text(score.doubleValue());
  }

  private LuaValue zcount(LuaString[] args) {
    ScoreRange range = ScoreRange.of(args[2], args[3]);
    return LuaValue.valueOf((int) range.of(read(args[1])).count());
  }

  /** By index, or with BYSCORE by score. The other forms of Redis 6.2 are refused. */
  private LuaValue zrange(LuaString[] args) {
    if (args.length > 4 && Words.is(args[4], "BYSCORE")) {
      return byScore(args, 5);
    }
    boolean withScores = args.length == 5 && Words.is(args[4], "WITHSCORES");
    if (args.length > 4 && !withScores) {
      throw CommandException.syntax();
    }
    long from = Numbers.integer(args[2]);
    long to = Numbers.integer(args[3]);
    SortedSet set = read(args[1]);
    int size = set.size();
    long first = Math.max(0, from < 0 ? from + size : from);
    long end = 1 + Math.min(size - 1L, to < 0 ? to + size : to);
    return array(first < end ? set.range(first, end) : Stream.of(), withScores);
  }

  /** The members in a range of scores. Behind it are options, from the given argument on. */
  private LuaValue byScore(LuaString[] args, int options) {
    boolean withScores = false;
    long offset = 0;
    long count = -1;
    for (int i = options; i < args.length; i++) {
      if (Words.is(args[i], "WITHSCORES")) {
        withScores = true;
      } else if (Words.is(args[i], "LIMIT") && i + 2 < args.length) {
        offset = Numbers.integer(args[++i]);
        count = Numbers.integer(args[++i]);
      } else {
        throw CommandException.syntax();
      }
    }
    Stream<Member> members = ScoreRange.of(args[2], args[3]).of(read(args[1]));
    if (offset < 0) {
      return CommandTable.array(List.of());
    }
    return array(members.skip(offset).limit(count < 0 ? Long.MAX_VALUE : count), withScores);
  }

  private LuaValue zremrangebyscore(LuaString[] args) {
    ScoreRange range = ScoreRange.of(args[2], args[3]);
    return change(
        args[1],
        set -> {
          List<Member> gone = range.of(set).toList();
          gone.forEach(member -> set.remove(member.name()));
          return gone.size();
        });
  }

  private LuaValue zpopmin(LuaString[] args) {
    if (args.length > 3) {
      throw CommandException.syntax();
    }
    String notPositive = "ERR value is out of range, must be positive";
    long count = args.length == 3 ? Numbers.integer(args[2], notPositive) : 1;
    if (count < 0) {
      throw new CommandException(notPositive);
    }
    List<Member> popped = read(args[1]).members().stream().limit(count).toList();
    change(
        args[1],
        set -> {
          popped.forEach(member -> set.remove(member.name()));
          return popped.size();
        });
    return array(popped.stream(), true);
  }

  private LuaValue zrank(LuaString[] args) {
    int rank = read(args[1]).rank(args[2]);
    return rank < 0 ? CommandTable.nil() : LuaValue.valueOf(rank);
  }

  private static LuaValue array(Stream<Member> members, boolean withScores) {
    List<LuaValue> reply = new ArrayList<>();
    members.forEach(member -> {
      reply.add(member.name());
      if (withScores) {
        reply.add(Numbers.text(member.score()));
      }
    });
    return CommandTable.array(reply);
  }
}

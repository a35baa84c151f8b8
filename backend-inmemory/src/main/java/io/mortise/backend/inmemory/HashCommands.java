package io.mortise.backend.inmemory;

import io.mortise.backend.inmemory.Keyspace.Hash;
import java.util.ArrayList;
import java.util.List;
import org.luaj.vm2.LuaInteger;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Commands on hashes. */
final class HashCommands {
  private final Keyspace keyspace;

  HashCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  void addTo(CommandTable table) {
    table.add("HSET", -4, this::hset);
    table.add("HGET", 3, this::hget);
    table.add("HDEL", -3, this::hdel);
    table.add("HEXISTS", 3, this::hexists);
    table.add("HKEYS", 2, args -> list(args[1], false));
    table.add("HGETALL", 2, args -> list(args[1], true));
    table.add("HLEN", 2, this::hlen);
    table.add("HINCRBY", 4, this::hincrby);
  }

  private LuaValue hset(LuaString[] args) {
    if (args.length % 2 != 0) {
      throw CommandException.wrongNumber("hset");
    }
    Hash hash = keyspace.hashOrNew(args[1]);
    int added = 0;
    for (int i = 2; i < args.length; i += 2) {
      added += hash.fields().put(args[i], args[i + 1]) == null ? 1 : 0;
    }
    return LuaValue.valueOf(added);
  }

  private LuaValue hget(LuaString[] args) {
    Hash hash = keyspace.hash(args[1]);
    LuaString value = hash == null ? null : hash.fields().get(args[2]);
    return value == null ? CommandTable.nil() : value;
  }

  private LuaValue hdel(LuaString[] args) {
    Hash hash = keyspace.hash(args[1]);
    if (hash == null) {
      return LuaValue.ZERO;
    }
    int removed = 0;
    for (int i = 2; i < args.length; i++) {
      removed += hash.fields().remove(args[i]) == null ? 0 : 1;
    }
    if (hash.fields().isEmpty()) {
      keyspace.delete(args[1]);
    }
    return LuaValue.valueOf(removed);
  }

  private LuaValue hexists(LuaString[] args) {
    Hash hash = keyspace.hash(args[1]);
    return LuaValue.valueOf(hash != null && hash.fields().containsKey(args[2]) ? 1 : 0);
  }

  private LuaValue hlen(LuaString[] args) {
    Hash hash = keyspace.hash(args[1]);
    return LuaValue.valueOf(hash == null ? 0 : hash.fields().size());
  }

  private LuaValue list(LuaString key, boolean withValues) {
    List<LuaValue> reply = new ArrayList<>();
    Hash hash = keyspace.hash(key);
    if (hash != null) {
      hash.fields()
          .forEach((field, value) -> {
            reply.add(field);
            if (withValues) {
              reply.add(value);
            }
          });
    }
    return CommandTable.array(reply);
  }

  private LuaValue hincrby(LuaString[] args) {
    long by = Numbers.integer(args[3]);
    Hash hash = keyspace.hash(args[1]);
    LuaString old = hash == null ? null : hash.fields().get(args[2]);
    long sum =
        Numbers.sum(old == null ? 0 : Numbers.integer(old, "ERR hash value is not an integer"), by);
    keyspace.hashOrNew(args[1]).fields().put(args[2], Numbers.text(sum));
    return LuaInteger.valueOf(sum);
  }
}

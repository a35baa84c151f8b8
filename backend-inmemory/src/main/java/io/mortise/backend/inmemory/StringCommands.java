package io.mortise.backend.inmemory;

import org.luaj.vm2.LuaInteger;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Commands on strings. */
final class StringCommands {
  /** The words after key and value of SET. */
  private record SetOptions(boolean onlyNew, boolean onlyOld, long endMillis) {}

  private final Keyspace keyspace;

  StringCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  void addTo(CommandTable table) {
    table.add("GET", 2, this::get);
    table.add("SET", -3, this::set);
    table.add("INCR", 2, args -> add(args[1], 1));
    table.add("INCRBY", 3, args -> add(args[1], Numbers.integer(args[2])));
    table.add("DECRBY", 3, this::decrby);
  }

  private LuaValue get(LuaString[] args) {
    LuaString value = keyspace.string(args[1]);
    return value == null ? CommandTable.nil() : value;
  }

  private LuaValue set(LuaString[] args) {
    SetOptions options = setOptions(args);
    boolean there = keyspace.value(args[1]) != null;
    if (there ? options.onlyNew : options.onlyOld) {
      return CommandTable.nil();
    }
    keyspace.put(args[1], args[2]);
    keyspace.endAt(args[1], options.endMillis);
    return CommandTable.status("OK");
  }

  private SetOptions setOptions(LuaString[] args) {
    boolean onlyNew = false;
    boolean onlyOld = false;
    LuaString millis = null;
    for (int i = 3; i < args.length; i++) {
      if (Words.is(args[i], "NX") && !onlyOld) {
        onlyNew = true;
      } else if (Words.is(args[i], "XX") && !onlyNew) {
        onlyOld = true;
      } else if (Words.is(args[i], "PX") && i + 1 < args.length) {
        millis = args[++i];
      } else {
        throw CommandException.syntax();
      }
    }
    return new SetOptions(onlyNew, onlyOld, millis == null ? Keyspace.NEVER : end(millis));
  }

  private long end(LuaString text) {
    long millis = Numbers.integer(text);
    long end = keyspace.nowMillis() + millis;
    if (millis <= 0 || end < 0) {
      throw new CommandException("ERR invalid expire time in 'set' command");
    }
    return end;
  }

  private LuaValue decrby(LuaString[] args) {
    long by = Numbers.integer(args[2]);
    if (by == Long.MIN_VALUE) {
      throw new CommandException("ERR decrement would overflow");
    }
    return add(args[1], -by);
  }

  private LuaValue add(LuaString key, long by) {
    LuaString old = keyspace.string(key);
    long sum = Numbers.sum(old == null ? 0 : Numbers.integer(old), by);
    keyspace.put(key, Numbers.text(sum));
    return LuaInteger.valueOf(sum);
  }
}

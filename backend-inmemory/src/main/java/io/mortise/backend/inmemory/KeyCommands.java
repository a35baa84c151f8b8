package io.mortise.backend.inmemory;

import org.luaj.vm2.LuaInteger;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** Commands on keys of any type, and commands on the server. */
final class KeyCommands {
  private final Keyspace keyspace;
  private final Channels channels;

  KeyCommands(Keyspace keyspace, Channels channels) {
    this.keyspace = keyspace;
    this.channels = channels;
  }

  void addTo(CommandTable table) {
    table.add("EXISTS", -2, this::exists);
    table.add("DEL", -2, this::del);
    table.add("TYPE", 2, this::type);
    table.add("PEXPIRE", 3, this::pexpire);
    table.add("PTTL", 2, this::pttl);
    table.add("PERSIST", 2, this::persist);
    table.add("PUBLISH", 3, args -> LuaValue.valueOf(channels.publish(args[1], args[2])));
    table.add("TIME", 1, args -> time());
    table.add("PING", -1, KeyCommands::ping);
  }

  private LuaValue exists(LuaString[] args) {
    int found = 0;
    for (int i = 1; i < args.length; i++) {
      found += keyspace.value(args[i]) == null ? 0 : 1;
    }
    return LuaValue.valueOf(found);
  }

  private LuaValue del(LuaString[] args) {
    int deleted = 0;
    for (int i = 1; i < args.length; i++) {
      deleted += keyspace.delete(args[i]) ? 1 : 0;
    }
    return LuaValue.valueOf(deleted);
  }

  private LuaValue type(LuaString[] args) {
    Object value = keyspace.value(args[1]);
    if (value == null) {
      return CommandTable.status("none");
    }
    return CommandTable.status(
        value instanceof LuaString ? "string" : value instanceof SortedSet ? "zset" : "hash");
  }

  /** Takes three words only, as in Redis 6.2. The conditions of Redis 7 are refused. */
  private LuaValue pexpire(LuaString[] args) {
    long millis = Numbers.integer(args[2]);
    long end = keyspace.nowMillis() + millis;
    if (millis > 0 && end < 0) {
      throw new CommandException("ERR invalid expire time in 'pexpire' command");
    }
    boolean set = millis > 0 ? keyspace.endAt(args[1], end) : keyspace.delete(args[1]);
    return LuaValue.valueOf(set ? 1 : 0);
  }

  private LuaValue pttl(LuaString[] args) {
    Long end = keyspace.endMillis(args[1]);
    if (end == null) {
      return LuaValue.valueOf(-2);
    }
    return end == Keyspace.NEVER
        ? LuaValue.valueOf(-1)
        : LuaInteger.valueOf(end - keyspace.nowMillis());
  }

  private LuaValue persist(LuaString[] args) {
    Long end = keyspace.endMillis(args[1]);
    if (end == null || end == Keyspace.NEVER) {
      return LuaValue.ZERO;
    }
    keyspace.endAt(args[1], Keyspace.NEVER);
    return LuaValue.ONE;
  }

  private LuaValue time() {
    long micros = keyspace.nowMicros();
    LuaTable reply = new LuaTable(2, 0);
    reply.rawset(1, Numbers.text(micros / 1_000_000));
    reply.rawset(2, Numbers.text(micros % 1_000_000));
    return reply;
  }

  private static LuaValue ping(LuaString[] args) {
    if (args.length > 2) {
      throw CommandException.wrongNumber("ping");
    }
    return args.length == 2 ? args[1] : CommandTable.status("PONG");
  }
}

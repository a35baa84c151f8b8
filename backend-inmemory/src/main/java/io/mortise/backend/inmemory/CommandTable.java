package io.mortise.backend.inmemory;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The commands by name, and how often each was called. A new command is one {@link #add} and one
 * method. Guarded by the store's lock.
 */
final class CommandTable {
  /** Runs a command; the arguments begin with its name. */
  interface Handler {
    LuaValue run(LuaString[] args);
  }

  private static final class Command {
    final String name;
    final int arity;
    final Handler handler;
    long calls;

    Command(String name, int arity, Handler handler) {
      this.name = name;
      this.arity = arity;
      this.handler = handler;
    }

    boolean takes(int words) {
      return arity >= 0 ? words == arity : words >= -arity;
    }
  }

  private static final LuaString OK_FIELD = LuaString.valueOf("ok");

  private Runnable before = () -> {};

  /** Every command under its upper-case and its lower-case name. */
  private final Map<LuaString, Command> commands = new HashMap<>();

  /**
   * Adds a command.
   *
   * @param arity as in Redis: the number of words including the name; negative if more may follow
   */
  void add(String name, int arity, Handler handler) {
    Command command = new Command(name, arity, handler);
    commands.put(Numbers.text(name), command);
    commands.put(Numbers.text(name.toLowerCase(Locale.ROOT)), command);
  }

  /** Runs an action before every command, such as a fault in the middle of a script. */
  void beforeEach(Runnable action) {
    before = action;
  }

  /** Runs {@code redis.call}'s arguments as a command. */
  LuaValue run(Varargs call) {
    int words = call.narg();
    if (words == 0) {
      throw new CommandException(
          "ERR Please specify at least one argument for this redis lib call");
    }
    LuaString[] args = new LuaString[words];
    for (int i = 0; i < words; i++) {
      args[i] = Numbers.argument(call.arg(i + 1));
    }
    Command command = find(args[0]);
    if (command == null) {
      throw new CommandException("ERR Unknown Redis command called from script");
    }
    if (!command.takes(words)) {
      throw new CommandException("ERR Wrong number of args calling Redis command from script");
    }
    before.run();
    command.calls++;
    return command.handler.run(args);
  }

  private @Nullable Command find(LuaString name) {
    Command command = commands.get(name);
    return command != null
        ? command
        : commands.get(Numbers.text(Numbers.string(name).toUpperCase(Locale.ROOT)));
  }

  /** The number of calls since the last reset, by upper-case name, without zeros. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (Command command : commands.values()) {
      if (command.calls > 0) {
        counts.put(command.name, command.calls);
      }
    }
    return counts;
  }

  void resetCounts() {
    commands.values().forEach(command -> command.calls = 0);
  }

  /** A status reply, such as OK. */
  static LuaTable status(String text) {
    LuaTable table = new LuaTable(0, 1);
    table.rawset(OK_FIELD, Numbers.text(text));
    return table;
  }

  static LuaTable array(List<LuaValue> elements) {
    return LuaValue.listOf(elements.toArray(LuaValue[]::new));
  }

  /** Redis's nil, which a script sees as false. */
  static LuaValue nil() {
    return LuaValue.FALSE;
  }
}

package io.mortise.backend.inmemory;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/**
 * Commands on the whole store. A store is one process that never starts again, is never promoted,
 * and evicts nothing.
 */
final class ServerCommands {
  private static final LuaString ZERO = Numbers.text("0");

  private final Keyspace keyspace;

  private final Map<String, String> info =
      Map.of(
          "server", "run_id:" + newId(),
          "replication", "role:master\r\nmaster_replid:" + newId(),
          "memory", "maxmemory_policy:noeviction");

  ServerCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  void addTo(CommandTable table) {
    table.add("INFO", 2, this::info);
    table.add("SCAN", -2, this::scan);
  }

  /** 40 hex digits, as Redis has them. */
  private static String newId() {
    String digits = (UUID.randomUUID() + "" + UUID.randomUUID()).replace("-", "");
    return digits.substring(0, 40);
  }

  /** Knows only the fields that lock scripts read. */
  private LuaValue info(LuaString[] args) {
    String section = info.get(Numbers.string(args[1]));
    return Numbers.text(section == null ? "" : "# Section\r\n" + section + "\r\n");
  }

  /** Replies with all keys at once, so the next cursor is always 0. */
  private LuaValue scan(LuaString[] args) {
    if (Numbers.integer(args[1]) != 0) {
      throw new CommandException("ERR invalid cursor");
    }
    Pattern pattern = Pattern.compile(".*");
    for (int i = 2; i < args.length; i += 2) {
      if (i + 1 < args.length && Words.is(args[i], "MATCH")) {
        pattern = glob(Numbers.string(args[i + 1]));
      } else if (i + 1 == args.length || !Words.is(args[i], "COUNT")) {
        throw CommandException.syntax();
      }
    }
    List<LuaValue> found =
        keyspace.keys().stream()
            .filter(pattern.asMatchPredicate())
            .map(key -> (LuaValue) Numbers.text(key))
            .collect(Collectors.toList());
    LuaTable keys = CommandTable.array(found);
    return CommandTable.array(List.of(ZERO, keys));
  }

  /** A pattern with * and ?, and backslashes before characters that stand for themselves. */
  private static Pattern glob(String text) {
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter == '*' || letter == '?') {
        pattern.append(letter == '*' ? ".*" : ".");
      } else {
        boolean escaped = letter == '\\' && i + 1 < text.length();
        pattern.append(Pattern.quote(String.valueOf(escaped ? text.charAt(++i) : letter)));
      }
    }
    return Pattern.compile(pattern.toString(), Pattern.DOTALL);
  }
}

package io.mortise.backend.inmemory;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.Script;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Converts a script's result to Java values, as Redis and a client together do. */
final class Replies {
  private static final LuaString OK = LuaString.valueOf("ok");

  private Replies() {}

  /**
   * The script's array. An integer stands for an array with that one element.
   *
   * @throws CommandException the script returned an error reply
   * @throws BackendException the script returned another type, against the rule for replies
   */
  static List<Object> array(LuaValue value, Script script) {
    Object reply = convert(value);
    if (reply instanceof Long) {
      return List.of(reply);
    }
    if (reply instanceof List<?>) {
      @SuppressWarnings("unchecked")
      List<Object> array = (List<Object>) reply;
      return array;
    }
    throw new BackendException(
        Outcome.UNKNOWN,
        script
            + " ran and returned "
            + reply
            + "; let it return a table or an integer, as every script must",
        null);
  }

  private static @Nullable Object convert(LuaValue value) {
    return switch (value.type()) {
      case LuaValue.TNUMBER -> (Object) (long) value.todouble();
      case LuaValue.TSTRING -> Numbers.string(value.checkstring());
      case LuaValue.TBOOLEAN -> value.toboolean() ? 1L : null;
      case LuaValue.TTABLE -> convertTable(value);
      default -> null;
    };
  }

  private static Object convertTable(LuaValue table) {
    String error = ScriptErrors.reply(table);
    if (error != null) {
      throw new CommandException(error);
    }
    if (table.rawget(OK) instanceof LuaString status) {
      return Numbers.string(status);
    }
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 1; !table.rawget(i).isnil(); i++) {
      list.add(convert(table.rawget(i)));
    }
    return list;
  }
}

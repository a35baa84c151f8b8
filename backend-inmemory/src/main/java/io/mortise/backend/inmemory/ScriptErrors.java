package io.mortise.backend.inmemory;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.OneArgFunction;
import org.luaj.vm2.lib.VarArgFunction;

/**
 * Errors as scripts and callers of Redis 7 see them, and the base functions that differ in LuaJ.
 */
final class ScriptErrors {
  /** The name of every script in messages. */
  static final String CHUNK = "user_script";

  private static final LuaString ERR = LuaString.valueOf("err");

  /** LuaJ writes {@code user_script:1 text} where Lua writes {@code user_script:1: text}. */
  private static final Pattern POSITION =
      Pattern.compile("(" + CHUNK + ":(\\d+)) (.*)", Pattern.DOTALL);

  private ScriptErrors() {}

  /** The table that stands for an error reply. */
  static LuaTable table(String reply) {
    LuaTable table = new LuaTable(0, 1);
    table.rawset(ERR, Numbers.text(reply));
    return table;
  }

  /** The reply, if the value is a table that stands for an error. */
  static @Nullable String reply(LuaValue value) {
    return value.istable() && value.rawget(ERR) instanceof LuaString reply
        ? Numbers.string(reply)
        : null;
  }

  /** {@code redis.error_reply}: the error code is the first of several words, otherwise ERR. */
  static LuaTable errorReply(Varargs args) {
    if (args.narg() != 1 || !(args.arg1() instanceof LuaString text)) {
      return table("ERR wrong number or type of arguments");
    }
    String reply = Numbers.string(text);
    reply = reply.startsWith("-") ? reply.substring(1) : reply;
    return table(reply.indexOf(' ') < 0 ? "ERR " + reply : reply);
  }

  /** The reply to the script's caller for an error that the script did not catch. */
  static String uncaught(LuaError error, String sha1) {
    Matcher position = POSITION.matcher(String.valueOf(error.getMessage()));
    String where = position.matches() ? ", on @" + CHUNK + ':' + position.group(2) + '.' : "";
    LuaValue value = value(error);
    String reply = reply(value);
    if (reply == null) {
      reply = value.istable() ? "ERR unknown error" : "ERR " + text(value);
    }
    return reply + " script: " + sha1 + where;
  }

  /** The value that {@code pcall} returns: the raised object, or the message with its position. */
  static LuaValue value(LuaError error) {
    LuaValue raised = error.getMessageObject();
    if (raised == null) {
      return LuaValue.NIL;
    }
    if (!(raised instanceof LuaString message)) {
      return raised;
    }
    Matcher position = POSITION.matcher(Numbers.string(message));
    return position.matches()
        ? Numbers.text(position.group(1) + ": " + position.group(3))
        : message;
  }

  private static String text(LuaValue value) {
    return value instanceof LuaString text ? Numbers.string(text) : value.tojstring();
  }

  /** {@code error}. LuaJ's version ignores level 0, which asks for no position. */
  static final class Raise extends VarArgFunction {
    @Override
    public Varargs invoke(Varargs args) {
      LuaValue raised = args.arg1();
      if (!raised.isstring()) {
        throw new LuaError(raised);
      }
      throw args.optint(2, 1) == 0
          ? new LuaError(raised.strvalue())
          : new LuaError(Numbers.string(raised.strvalue()));
    }
  }

  /** {@code pcall}. As in Redis 7, an error reply arrives as its text. */
  static final class ProtectedCall extends VarArgFunction {
    @Override
    public Varargs invoke(Varargs args) {
      try {
        return varargsOf(TRUE, args.checkvalue(1).invoke(args.subargs(2)));
      } catch (LuaError e) {
        LuaValue value = value(e);
        String reply = reply(value);
        return varargsOf(FALSE, reply == null ? value : Numbers.text(reply));
      }
    }
  }

  /** {@code tostring}: numbers with 14 digits, as Lua 5.1 writes them. */
  static final class ToText extends OneArgFunction {
    private final LuaValue other;

    ToText(LuaValue other) {
      this.other = other;
    }

    @Override
    public LuaValue call(LuaValue value) {
      return value.type() == LuaValue.TNUMBER
          ? Numbers.text(Numbers.format(value.todouble(), 14))
          : other.call(value);
    }
  }
}

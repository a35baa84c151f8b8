package io.mortise.backend.inmemory;

import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.jse.JseMathLib;

/**
 * The globals of a script: the part of Redis's that lock scripts need, without access to anything
 * outside. A script can neither set a global nor read a missing one.
 */
final class Sandbox extends LuaTable {
  private static final String[] BASE = {
    "assert", "ipairs", "next", "pairs", "select", "tonumber", "type"
  };
  private static final String[] STRING = {
    "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse",
    "sub", "upper"
  };
  private static final String[] TABLE = {"concat", "insert", "remove", "sort"};
  private static final String[] MATH = {
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "cos",
    "cosh",
    "deg",
    "exp",
    "floor",
    "fmod",
    "frexp",
    "huge",
    "ldexp",
    "log",
    "max",
    "min",
    "modf",
    "pi",
    "pow",
    "rad",
    "random",
    "randomseed",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh"
  };
  private static final LuaString KEYS = LuaString.valueOf("KEYS");
  private static final LuaString ARGV = LuaString.valueOf("ARGV");

  /** Creates a sandbox with the functions of the {@code redis} table. */
  Sandbox(LuaTable redis) {
    Globals full = libraries();
    copy(full, BASE, this);
    copyTable(full, "string", STRING);
    copyTable(full, "table", TABLE);
    copyTable(full, "math", MATH);
    put("unpack", full.get("table").get("unpack"));
    put("error", new ScriptErrors.Raise());
    put("pcall", new ScriptErrors.ProtectedCall());
    put("tostring", new ScriptErrors.ToText(full.get("tostring")));
    put("redis", redis);
  }

  /** Sets KEYS and ARGV for the next run. */
  void prepare(LuaTable keys, LuaTable args) {
    super.rawset(KEYS, keys);
    super.rawset(ARGV, args);
  }

  @Override
  public LuaValue get(LuaValue key) {
    LuaValue value = super.rawget(key);
    if (value.isnil()) {
      throw new LuaError(
          "Script attempted to access nonexistent global variable '" + key.tojstring() + "'");
    }
    return value;
  }

  /** Redis 6.2 names the variable in its error. Redis 7 says only that the table is read-only. */
  @Override
  public void rawset(LuaValue key, LuaValue value) {
    throw new LuaError("Script attempted to create global variable '" + key.tojstring() + "'");
  }

  @Override
  public void rawset(int key, LuaValue value) {
    rawset(LuaValue.valueOf(key), value);
  }

  private void put(String name, LuaValue value) {
    super.rawset(Numbers.text(name), value);
  }

  private void copyTable(Globals full, String name, String[] functions) {
    ReadOnlyTable table = new ReadOnlyTable();
    for (String function : functions) {
      table.put(function, full.get(name).get(function));
    }
    put(name, table);
  }

  private static void copy(Globals from, String[] names, Sandbox to) {
    for (String name : names) {
      to.put(name, from.get(name));
    }
  }

  /**
   * LuaJ's libraries. They add themselves to a table that LuaJ's package library would otherwise
   * create.
   */
  private static Globals libraries() {
    Globals globals = new Globals();
    LuaTable packages = new LuaTable();
    packages.set("loaded", new LuaTable());
    globals.set("package", packages);
    globals.load(new BaseLib());
    globals.load(new StringLib());
    globals.load(new TableLib());
    globals.load(new JseMathLib());
    return globals;
  }
}

package io.mortise.backend.inmemory;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** A table that scripts cannot change, such as {@code string} or {@code redis}. */
final class ReadOnlyTable extends LuaTable {
  private static final String REFUSAL = "Attempt to modify a readonly table";

  /** Sets a value from Java. */
  void put(String name, LuaValue value) {
    super.rawset(Numbers.text(name), value);
  }

  @Override
  public void rawset(int key, LuaValue value) {
    throw new LuaError(REFUSAL);
  }

  @Override
  public void rawset(LuaValue key, LuaValue value) {
    throw new LuaError(REFUSAL);
  }
}

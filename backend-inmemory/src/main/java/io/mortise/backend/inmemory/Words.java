package io.mortise.backend.inmemory;

import org.luaj.vm2.LuaString;

/** The option words of commands. */
final class Words {
  private Words() {}

  /**
   * Whether the argument is this ASCII word. {@code word} is in upper case; the argument may be in
   * any case.
   */
  static boolean is(LuaString argument, String word) {
    if (argument.m_length != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      int letter = argument.m_bytes[argument.m_offset + i];
      if (letter != word.charAt(i) && letter != (word.charAt(i) | 0x20)) {
        return false;
      }
    }
    return true;
  }
}

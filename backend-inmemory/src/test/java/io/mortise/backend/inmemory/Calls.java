package io.mortise.backend.inmemory;

import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;

/** Short forms of script calls. */
final class Calls {
  private Calls() {}

  static ScriptCall call(String lua, String... args) {
    return new ScriptCall(Script.of("test", lua), List.of(), List.of(args), Duration.ofSeconds(1));
  }

  static List<Object> eval(LockBackend backend, String lua, String... args) {
    return backend.execute(call(lua, args));
  }
}

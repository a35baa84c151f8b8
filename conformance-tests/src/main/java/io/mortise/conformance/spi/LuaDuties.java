package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store answers the corpus as every other engine does. */
@Rule("LUA")
abstract class LuaDuties extends Duties {
  LuaDuties(BackendConformance suite) {
    super(suite);
  }

  static List<LuaSample> samples() {
    return LuaCorpus.samples();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("samples")
  void answersAsRedisDoes(LuaSample sample) {
    LockBackend backend = open();
    List<String> args = new ArrayList<>(List.of(name("channel")));
    args.addAll(sample.args());
    List<String> keys = names("a", "b", "c");
    Script script = Script.of(sample.name(), sample.source());
    ScriptCall call = new ScriptCall(script, keys, args, TIMEOUT);
    if (sample.fails()) {
      BackendException error = assertThrows(BackendException.class, () -> backend.execute(call));
      assertTrue(String.valueOf(error.getMessage()).startsWith(sample.error()), error::toString);
    } else {
      assertEquals(sample.reply(), backend.execute(call));
    }
  }
}

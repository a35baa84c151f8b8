package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The form of a script's reply, and the ways in which a script is sent. */
abstract class ReplyDuties extends Duties {
  private static final String TEXT = "äöü € 𝄞 \"quoted\" \\ tab\t line\n end";

  private LockBackend backend;

  ReplyDuties(BackendConformance suite) {
    super(suite);
  }

  @BeforeEach
  void openBackend() {
    backend = open();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B8")
  @DisplayName("B8: a reply keeps its integers, strings, nested and empty arrays, in order")
  void aReplyKeepsItsShape(Way way) {
    ScriptCall call = run("return {1, 'a', {2, {'b', {}}, ''}, -3, '4', {'', {}}}", List.of());
    assertEquals(
        List.of(
            1L, "a", List.of(2L, List.of("b", List.of()), ""), -3L, "4", List.of("", List.of())),
        way.call(backend, call));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B8")
  @DisplayName("B8: an empty array is an empty list")
  void anEmptyArrayIsAnEmptyList(Way way) {
    assertEquals(List.of(), way.call(backend, run("return {}", List.of())));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B8")
  @DisplayName("B8: an integer reply counts as an array of one")
  void anIntegerIsAListOfIt(Way way) {
    assertEquals(List.of(7L), way.call(backend, run("return 7", List.of())));
  }

  @Test
  @Rule("B8")
  @DisplayName("B8: integers are exact up to 53 bits")
  void integersAreExact() {
    ScriptCall call =
        run("return {1700000000123456 + 1, 9007199254740991, -9007199254740991}", List.of());
    assertEquals(
        List.of(1_700_000_000_123_457L, 9_007_199_254_740_991L, -9_007_199_254_740_991L),
        backend.execute(call));
  }

  @Test
  @Rule("B8")
  @DisplayName("B8: the status reply of a command inside an array is a string")
  void aStatusIsAString() {
    ScriptCall call = run("return {redis.call('SET', KEYS[1], 'v')}", List.of(name("k")));
    assertEquals(List.of("OK"), backend.execute(call));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B8")
  @DisplayName("B8: a long reply arrives whole")
  void aLongReplyArrivesWhole(Way way) {
    ScriptCall call = run("local r = {} for i = 1, 5000 do r[i] = i end return r", List.of());
    List<Long> expected = LongStream.rangeClosed(1, 5_000).boxed().toList();
    assertEquals(expected, way.call(backend, call));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B9")
  @DisplayName("B9: arguments and replies are UTF-8")
  void argumentsAndRepliesAreUtf8(Way way) {
    assertEquals(List.of(TEXT), way.call(backend, echo(TEXT)));
    // The length Lua sees is that of the bytes: two for ä, three for €, four for the clef.
    assertEquals(List.of(9L), way.call(backend, run("return {#ARGV[1]}", List.of(), "ä€𝄞")));
  }

  @Test
  @Rule("B9")
  @DisplayName("B9: keys are UTF-8, and a long argument stays whole")
  void keysAreUtf8() {
    String key = name("schlüssel-€-𝄞");
    String value = TEXT.repeat(5_000);
    backend.execute(run("return {redis.call('SET', KEYS[1], ARGV[1])}", List.of(key), value));
    assertEquals(
        List.of(value), open().execute(run("return {redis.call('GET', KEYS[1])}", List.of(key))));
  }

  @Test
  @Rule("B8")
  @DisplayName("B8: keys and arguments arrive in their order, empty ones too")
  void keysAndArgumentsKeepTheirOrder() {
    ScriptCall call =
        run("return {#KEYS, #ARGV, ARGV[1], ARGV[2], ARGV[3]}", names("a", "b", "c"), "", "b", "");
    assertEquals(List.of(3L, 3L, "", "b", ""), backend.execute(call));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B7")
  @DisplayName("B7: a script that the store does not know runs once, and again when it is known")
  void anUnknownScriptRuns(Way way) {
    ScriptCall call = newCounter(name("n"));
    assertEquals(List.of(1L), way.call(backend, call));
    assertEquals(List.of(2L), way.call(backend, call));
    assertEquals(List.of(3L), way.call(open(), call));
  }

  @Test
  @Rule({"B6", "B7"})
  @DisplayName("B7: scripts that the store does not know all run once in one executeAll")
  void unknownScriptsRunInOneBatch() {
    List<ScriptCall> calls = new ArrayList<>();
    ScriptCall twice = newCounter(name("twice"));
    IntStream.range(0, 20).forEach(i -> calls.add(newCounter(name("n" + i))));
    calls.addAll(List.of(twice, twice));
    List<List<Object>> replies = backend.executeAll(calls).stream().map(Way::await).toList();
    for (int i = 0; i < 20; i++) {
      assertEquals(List.of(1L), replies.get(i));
    }
    assertEquals(List.of(3L), backend.execute(twice));
  }

  /** A counting script whose text no store has seen. */
  private static ScriptCall newCounter(String key) {
    String source = "return {redis.call('INCR', KEYS[1])} -- " + UUID.randomUUID();
    return run(source, List.of(key));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: an error reply of the script is REPLIED unchanged, with its code first")
  void anErrorReplyKeepsItsText(Way way) {
    ScriptCall call = run("return redis.error_reply('MYCODE some text')", List.of());
    BackendException error = failure(way, call);
    assertEquals("MYCODE some text", error.getMessage());
    assertEquals("MYCODE", error.code());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: a script that raises an error is REPLIED")
  void aRaisedErrorIsReplied(Way way) {
    BackendException raised = failure(way, run("error('boom')", List.of()));
    assertEquals("ERR", raised.code());
    assertTrue(String.valueOf(raised.getMessage()).contains("boom"), raised::toString);
    failure(way, run("redis.call('HGET', KEYS[1])", List.of(name("k"))));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B1", "B7"})
  @DisplayName("B1: a script that does not compile is REPLIED")
  void aScriptThatDoesNotCompileIsReplied(Way way) {
    assertEquals("ERR", failure(way, run("return {", List.of())).code());
  }

  private BackendException failure(Way way, ScriptCall call) {
    BackendException error = assertThrows(BackendException.class, () -> way.call(backend, call));
    assertEquals(Outcome.REPLIED, error.outcome(), error::toString);
    return error;
  }
}

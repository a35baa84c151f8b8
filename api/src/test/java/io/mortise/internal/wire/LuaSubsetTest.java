package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.luaj.vm2.Lua;
import org.luaj.vm2.ast.Exp;
import org.luaj.vm2.ast.NameResolver;
import org.luaj.vm2.ast.Stat;
import org.luaj.vm2.ast.Visitor;
import org.luaj.vm2.parser.LuaParser;
import org.luaj.vm2.parser.ParseException;

/**
 * The scripts use only the part of Lua that means the same in Redis and in LuaJ ({@code
 * docs/wire-format.md}). They concatenate only text, never turn a number into text implicitly, and
 * use only globals that every engine has.
 */
class LuaSubsetTest {
  private static final Set<String> GLOBALS =
      Set.of("KEYS", "ARGV", "redis", "math", "string", "ipairs", "type", "tonumber", "unpack");

  private static final Set<String> MEMBERS =
      Set.of(
          "redis.call",
          "redis.pcall",
          "math.floor",
          "math.max",
          "string.match",
          ".ok",
          ".err",
          "reply.err",
          "heard.err",
          "found.err");

  /** Variables that hold text in every concatenation. */
  private static final Set<String> TEXT =
      Set.of(
          "id",
          "rest",
          "box",
          "head",
          "holder",
          "lock",
          "mail",
          "seconds",
          "fraction",
          "run",
          "history");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acquire: queue exclusive",
        "leave: queue exclusive",
        "force: queue exclusive",
        "acquire: queue exclusive redisson",
        "leave: queue exclusive redisson",
        "force: queue exclusive redisson",
        "rw-acquire: queue rw grants",
        "rw-leave: queue rw grants",
        "rw-force: queue rw grants",
        "sem-acquire: queue sem grants",
        "sem-leave: queue sem grants",
        "sem-return: queue sem grants",
        "sem-permits: queue sem grants",
        "sem-force: queue sem grants",
        "latch-acquire: queue latch grants",
        "latch-leave: queue latch grants",
        "latch-count: queue latch grants",
        "condition: queue",
        "rw-inspect",
        "renew",
        "linger",
        "list",
        "status",
        "inspect",
        "queue-length",
        "check",
        "identify: process",
        "first-start: process",
        "guard"
      })
  void aScriptKeepsToTheSubset(String parts) throws IOException, ParseException {
    String[] scriptAndShared = parts.split(": ", 2);
    StringBuilder shared = new StringBuilder();
    if (scriptAndShared.length > 1) {
      for (String part : scriptAndShared[1].split(" ", -1)) {
        shared.append(read(part));
      }
    }
    String source = read(scriptAndShared[0]).replace("--#shared\n", shared);

    assertEquals(List.of(), violations(source), parts);
  }

  /** The check of a vote stands in front of an acquire script. */
  @ParameterizedTest
  @ValueSource(strings = {"", "rw-"})
  void aVoteKeepsToTheSubset(String family) throws IOException, ParseException {
    String shared =
        read("queue") + (family.isEmpty() ? read("exclusive") : read("rw") + read("grants"));
    String acquire = read(family + "acquire").replace("--#shared\n", shared);

    assertEquals(List.of(), violations(read("process") + read("vote") + acquire));
    assertEquals(List.of(), violations(read("process") + read("vote") + read("red-fence")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return {1 .. ''}",
        "local now = 1 return {'a' .. now}",
        "return {tostring(1)}",
        "return {string.format('%d', 1)}",
        "x = 1 return {x}",
        "return {os.time()}",
      })
  void aScriptOutsideTheSubsetIsCaught(String source) throws ParseException {
    assertTrue(!violations(source).isEmpty(), source);
  }

  private static String read(String name) throws IOException {
    try (InputStream in = LockScripts.class.getResourceAsStream(name + ".lua")) {
      assertTrue(in != null, name);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> violations(String source) throws ParseException {
    List<String> found = new ArrayList<>();
    byte[] text = source.getBytes(StandardCharsets.UTF_8);
    var chunk = new LuaParser(new ByteArrayInputStream(text), "ISO-8859-1").Chunk();
    chunk.accept(new NameResolver());
    chunk.accept(new Rules(found));
    return found;
  }

  private static final class Rules extends Visitor {
    private final List<String> found;

    Rules(List<String> found) {
      this.found = found;
    }

    @Override
    public void visit(Exp.BinopExp exp) {
      if (exp.op == Lua.OP_CONCAT) {
        checkText(exp.lhs);
        checkText(exp.rhs);
      }
      super.visit(exp);
    }

    private void checkText(Exp exp) {
      boolean literal = exp instanceof Exp.Constant constant && constant.value.type() == 4;
      boolean named = exp instanceof Exp.NameExp name && TEXT.contains(name.name.name);
      boolean joined = exp instanceof Exp.BinopExp inner && inner.op == Lua.OP_CONCAT;
      boolean mailbox =
          exp instanceof Exp.FuncCall call
              && call.lhs instanceof Exp.NameExp function
              && function.name.name.equals("mailbox");
      if (!(literal || named || joined || mailbox)) {
        found.add("concatenates a possible number, line " + exp.beginLine);
      }
    }

    @Override
    public void visit(Exp.NameExp exp) {
      checkGlobal(exp);
      super.visit(exp);
    }

    private void checkGlobal(Exp.NameExp exp) {
      if (!exp.name.variable.isLocal() && !GLOBALS.contains(exp.name.name)) {
        found.add("global " + exp.name.name + ", line " + exp.beginLine);
      }
    }

    @Override
    public void visit(Exp.FieldExp exp) {
      String owner = exp.lhs instanceof Exp.NameExp name ? name.name.name : "";
      if (!MEMBERS.contains(owner + '.' + exp.name.name)) {
        found.add(owner + '.' + exp.name.name + ", line " + exp.beginLine);
      }
      super.visit(exp);
    }

    @Override
    public void visit(Stat.Assign assign) {
      for (Object target : assign.vars) {
        if (target instanceof Exp.NameExp name && !name.name.variable.isLocal()) {
          found.add("writes global " + name.name.name);
        }
      }
      super.visit(assign);
    }
  }
}

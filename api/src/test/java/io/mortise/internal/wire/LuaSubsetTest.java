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
          "found.err",
          "held.err",
          "inside.err",
          "known.err",
          "last.err",
          "seen.err");

  /** Variables that hold text in every concatenation. */
  private static final Set<String> TEXT =
      Set.of(
          "id",
          "rest",
          "box",
          "head",
          "holder",
          "home",
          "lock",
          "mail",
          "seconds",
          "fraction",
          "run",
          "history");

  /** Every script, with its parts. A plain one has the part of its family. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "acquire: unshared",
        "leave: unshared",
        "force: unshared",
        "acquire: redisson",
        "leave: redisson",
        "force: redisson",
        "rw-acquire",
        "rw-leave",
        "rw-force",
        "sem-acquire",
        "sem-leave",
        "sem-return",
        "sem-permits",
        "sem-force",
        "latch-acquire",
        "latch-leave",
        "latch-count",
        "condition",
        "rw-inspect",
        "acquire-all",
        "leave-all",
        "renew",
        "linger",
        "list",
        "status",
        "inspect",
        "queue-length",
        "check",
        "identify",
        "first-start",
        "guard"
      })
  void aScriptKeepsToTheSubset(String nameAndPart) throws ParseException {
    assertEquals(List.of(), violations(source(nameAndPart)), nameAndPart);
  }

  private static String source(String nameAndPart) {
    String[] parts = nameAndPart.split(": ", 2);
    return ScriptFiles.script(parts[0], parts.length > 1 ? parts[1] : "").source();
  }

  /** The check of a vote stands in front of an acquire script. */
  @ParameterizedTest
  @ValueSource(strings = {"acquire: unshared", "rw-acquire"})
  void aVoteKeepsToTheSubset(String acquire) throws IOException, ParseException {
    assertEquals(List.of(), violations(read("process") + read("vote") + source(acquire)));
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
    try (InputStream in = ScriptFiles.class.getResourceAsStream(name + ".lua")) {
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

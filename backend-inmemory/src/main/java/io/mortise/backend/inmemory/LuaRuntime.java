package io.mortise.backend.inmemory;

import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.VarArgFunction;

/** Runs scripts against the commands, and compiles each once. Guarded by the store's lock. */
final class LuaRuntime {
  private static final class Compiled {
    final Prototype code;
    final String name;
    long runs;

    Compiled(Prototype code, String name) {
      this.code = code;
      this.name = name;
    }
  }

  private final CommandTable commands;
  private final Sandbox sandbox;
  private final Map<String, Compiled> compiled = new HashMap<>();

  LuaRuntime(CommandTable commands) {
    this.commands = commands;
    sandbox = new Sandbox(redis());
  }

  /** Runs the script and returns its array. Throws {@link CommandException} for an error. */
  List<Object> run(ScriptCall call) {
    Script script = call.script();
    Compiled compiledScript = compiled.get(script.sha1());
    if (compiledScript == null) {
      compiledScript = new Compiled(compile(script), script.name());
      compiled.put(script.sha1(), compiledScript);
    }
    compiledScript.runs++;
    sandbox.prepare(list(call.keys()), list(call.args()));
    try {
      // Each run has its own closure, so a script that assigns its _ENV changes only itself.
      return Replies.array(new LuaClosure(compiledScript.code, sandbox).call(), script);
    } catch (LuaError e) {
      throw new CommandException(ScriptErrors.uncaught(e, script.sha1()));
    } catch (StackOverflowError e) {
      throw new CommandException("ERR stack overflow script: " + script.sha1());
    }
  }

  /** The number of runs since the last reset, by the script's name. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (Compiled script : compiled.values()) {
      if (script.runs > 0) {
        counts.merge(script.name, script.runs, Long::sum);
      }
    }
    return counts;
  }

  void resetCounts() {
    compiled.values().forEach(script -> script.runs = 0);
  }

  private static Prototype compile(Script script) {
    byte[] source = script.source().getBytes(StandardCharsets.UTF_8);
    try {
      return LuaC.instance.compile(new ByteArrayInputStream(source), ScriptErrors.CHUNK);
    } catch (LuaError e) {
      String message =
          String.valueOf(e.getMessage())
              .replace("[string \"" + ScriptErrors.CHUNK + "\"]", ScriptErrors.CHUNK);
      throw new CommandException("ERR Error compiling script (new function): " + message);
    } catch (IOException e) {
      throw new IllegalStateException("an array of bytes cannot fail to be read", e);
    }
  }

  private static LuaTable list(List<String> texts) {
    LuaValue[] values = new LuaValue[texts.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = Numbers.text(texts.get(i));
    }
    return LuaValue.listOf(values);
  }

  private LuaTable redis() {
    ReadOnlyTable redis = new ReadOnlyTable();
    redis.put("call", new Call());
    redis.put("pcall", new ProtectedCall());
    redis.put(
        "error_reply",
        new VarArgFunction() {
          @Override
          public Varargs invoke(Varargs args) {
            return ScriptErrors.errorReply(args);
          }
        });
    redis.put(
        "status_reply",
        new VarArgFunction() {
          @Override
          public Varargs invoke(Varargs args) {
            return args.narg() == 1 && args.arg1() instanceof LuaString text
                ? CommandTable.status(Numbers.string(text))
                : ScriptErrors.table("ERR wrong number or type of arguments");
          }
        });
    return redis;
  }

  /** {@code redis.call}: raises an error reply. */
  private final class Call extends VarArgFunction {
    @Override
    public Varargs invoke(Varargs args) {
      try {
        return commands.run(args);
      } catch (CommandException e) {
        throw new LuaError(ScriptErrors.table(e.reply()));
      }
    }
  }

  /** {@code redis.pcall}: returns an error reply as a table. */
  private final class ProtectedCall extends VarArgFunction {
    @Override
    public Varargs invoke(Varargs args) {
      try {
        return commands.run(args);
      } catch (CommandException e) {
        return ScriptErrors.table(e.reply());
      }
    }
  }
}

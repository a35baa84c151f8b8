package io.mortise.backend.lettuce;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script's reply as Lettuce reads it: a list of integers, texts and lists, or an integer. */
final class ScriptReply extends CommandOutput<String, String, List<Object>> {
  /** The lists around the one that is being read; most replies have one list, or none. */
  private @Nullable Deque<List<Object>> around;

  private int depth;

  @SuppressWarnings("NullAway") // Lettuce's way to say that there is no output yet.
  ScriptReply() {
    super(StringCodec.UTF8, null);
  }

  @Override
  public void multi(int count) {
    List<Object> list = new ArrayList<>(Math.max(0, count));
    if (depth++ > 0) {
      around = around == null ? new ArrayDeque<>() : around;
      around.push(output);
      output.add(list);
    }
    output = list;
  }

  /** The list at this depth is complete; the outermost one stays. */
  @Override
  public void complete(int at) {
    if (at > 0 && at < depth && around != null) {
      output = around.pop();
      depth--;
    }
  }

  @Override
  public void set(long integer) {
    if (depth == 0) {
      output = List.of(integer);
    } else {
      output.add(integer);
    }
  }

  /** No script replies with nil. */
  @Override
  public void set(ByteBuffer bytes) {
    output.add(codec.decodeValue(bytes));
  }

  @Override
  public void setSingle(ByteBuffer status) {
    set(status);
  }
}

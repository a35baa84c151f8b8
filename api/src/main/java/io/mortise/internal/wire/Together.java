package io.mortise.internal.wire;

import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;

/**
 * One call for many locks, in place of a call for each: to acquire all or none, or to release. It
 * is for locks that nobody waits for, and that nobody else holds. Each other one needs its own
 * call.
 */
public final class Together {
  private static final Script ACQUIRE = Script.of("acquire-all", ScriptFiles.read("acquire-all"));
  private static final Script LEAVE = Script.of("leave-all", ScriptFiles.read("leave-all"));

  /** The first word of a reply of {@link #LEAVE} that leaves some locks to their own calls. */
  private static final String REST = "REST";

  private Together() {}

  /**
   * Whether a call has only what one for many locks can do: it acquires a plain or fair lock by a
   * new id, or releases one whose id no command can reach late.
   */
  public static boolean fits(ScriptCall call) {
    int fitting = acquires(call) ? 3 : call.script().name().equals("leave") ? 2 : 0;
    return call.args().size() == fitting && call.keys().size() == 3;
  }

  private static boolean acquires(ScriptCall call) {
    return call.script().name().equals("acquire");
  }

  /** Whether a call that {@link #fits} releases a lock. */
  public static boolean releases(ScriptCall call) {
    return !acquires(call);
  }

  /** The call for all of these locks. The calls do the same, those that acquire with one lease. */
  public static ScriptCall of(List<ScriptCall> calls) {
    ScriptCall first = calls.get(0);
    boolean acquires = acquires(first);
    List<String> keys = new ArrayList<>(3 * calls.size());
    List<String> args = new ArrayList<>(calls.size() + 1);
    if (acquires) {
      args.add(first.args().get(2));
    } else {
      calls.forEach(each -> keys.add(each.keys().get(0)));
    }
    for (ScriptCall each : calls) {
      keys.addAll(acquires ? each.keys() : each.keys().subList(1, 3));
      args.add(each.args().get(0));
    }
    Script script = acquires ? ACQUIRE : LEAVE;
    return new ScriptCall(script, keys, args, first.timeout(), first.acks(), false, null);
  }

  /** The reply to one of these calls if none was sent: somebody else holds the lock. */
  public static List<Object> notAsked(ScriptCall call) {
    return call.acks() == null ? List.of("BUSY", 0L) : List.of("BUSY", 0L, 0L);
  }

  /**
   * The number of the first lock, from 0 on, that kept all from being acquired.
   *
   * @param calls how many there were
   * @return that number of calls if none did, or there is no reply
   */
  public static int refused(List<Object> reply, int calls) {
    if (reply.isEmpty() || AcquireReply.isDone(reply)) {
      return calls;
    }
    return calls == 1 ? 0 : ((Long) reply.get(1)).intValue() - 1;
  }

  /** The reply to the call of one of the locks that the call for all was enough for. */
  public static List<Object> ofOne(List<Object> reply) {
    return REST.equals(reply.get(0)) ? List.of(1L) : reply;
  }

  /** The calls that the one for all of these has left to be sent by themselves. */
  public static List<ScriptCall> rest(List<Object> reply, List<ScriptCall> calls) {
    return REST.equals(reply.get(0))
        ? reply.stream().skip(1).map(number -> calls.get(((Long) number).intValue() - 1)).toList()
        : List.of();
  }
}

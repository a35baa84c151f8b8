package io.mortise.conformance.lock;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Lets the server write down who arrives: the first acquire of an announced thread also appends its
 * ticket to a list, in the same script, so that nobody can come between the two.
 */
final class ArrivalBackend implements LockBackend {
  /** The list and the ticket are the two arguments after the script's own. */
  private static final String APPEND = "redis.call('RPUSH', ARGV[#ARGV - 1], ARGV[#ARGV]) ";

  /** How many arguments the script may have itself. */
  private static final int OWN = 5;

  private record Ticket(String list, String text) {}

  private final LockBackend backend;
  private final ConcurrentMap<Thread, Ticket> announced = new ConcurrentHashMap<>();

  ArrivalBackend(LockBackend backend) {
    this.backend = backend;
  }

  /** The calling thread is about to lock. */
  void announce(String list, String ticket) {
    announced.put(Thread.currentThread(), new Ticket(list, ticket));
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    Ticket ticket =
        call.script().name().equals("acquire") ? announced.remove(Thread.currentThread()) : null;
    return backend.execute(ticket == null ? call : appending(call, ticket));
  }

  private static ScriptCall appending(ScriptCall call, Ticket ticket) {
    List<String> args = new ArrayList<>(call.args());
    while (args.size() < OWN) {
      args.add(""); // left out by the engine
    }
    args.addAll(List.of(ticket.list(), ticket.text()));
    Script script = Script.of("acquire", APPEND + call.script().source());
    return new ScriptCall(script, call.keys(), args, call.timeout());
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return backend.executeAsync(call);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return backend.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return backend.info();
  }

  @Override
  public TimeSource time() {
    return backend.time();
  }

  @Override
  public void close() {
    backend.close();
  }
}

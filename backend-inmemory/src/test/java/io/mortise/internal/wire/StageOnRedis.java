package io.mortise.internal.wire;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A Redis that runs scripts, counts their commands, and says how long the last one took. */
final class StageOnRedis implements ScriptStage.Server, AutoCloseable {
  private static final Pattern LINE = Pattern.compile("cmdstat_(\\w+):calls=(\\d+),usec=(\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** What this class sends itself. */
  private static final Set<String> OWN = Set.of("INFO", "EVALSHA", "SUBSCRIBE", "CONFIG");

  private final RespConnection commands;
  private final RespConnection mail;
  private final Set<String> loaded = new HashSet<>();
  private long micros;
  private boolean hurries;

  StageOnRedis(RedisServer redis) throws IOException {
    commands = new RespConnection(redis.host(), redis.port(), PATIENCE);
    mail = new RespConnection(redis.host(), redis.port(), PATIENCE);
    for (String client : List.of("a", "b")) {
      Object unused = mail.call("SUBSCRIBE", ScriptStage.MAIL + client);
    }
  }

  @Nullable Object command(String... words) {
    try {
      return commands.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Object> run(ScriptCall call) {
    if (loaded.add(call.script().sha1())) {
      Object unused = command("SCRIPT", "LOAD", call.script().source());
      Map<String, Long> unusedCounts = takeCounts();
    }
    List<String> words = new ArrayList<>();
    words.add("EVALSHA");
    words.add(call.script().sha1());
    words.add(Integer.toString(call.keys().size()));
    words.addAll(call.keys());
    words.addAll(call.args());
    Object reply = command(words.toArray(new String[0]));
    return reply instanceof List<?> list ? new ArrayList<>(list) : List.of(String.valueOf(reply));
  }

  @Override
  public Map<String, Long> takeCounts() {
    Map<String, Long> counts = new TreeMap<>();
    Matcher line = LINE.matcher(String.valueOf(command("INFO", "commandstats")));
    while (line.find()) {
      String name = line.group(1).toUpperCase(Locale.ROOT);
      if (name.equals("EVALSHA")) {
        micros = Long.parseLong(line.group(3));
      } else if (!OWN.contains(name)) {
        counts.put(name, Long.valueOf(line.group(2)));
      }
    }
    Object unused = command("CONFIG", "RESETSTAT");
    return counts;
  }

  /** The microseconds of the last script. */
  long micros() {
    return micros;
  }

  /** Lets no time pass from now on. */
  void hurry() {
    hurries = true;
  }

  @Override
  public void passTime() {
    if (hurries) {
      return;
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Override
  public void close() {
    mail.close();
    commands.close();
  }
}

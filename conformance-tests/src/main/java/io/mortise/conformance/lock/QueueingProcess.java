package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Crew;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A process of its own, at the other end of a {@link RemoteLock}: its threads lock again and again,
 * and the server keeps two lists, of who arrived and of who was inside.
 */
final class QueueingProcess {
  static final String ARRIVED = "-arrived";
  static final String INSIDE = "-inside";

  private final LockBackend plain;
  private final ArrivalBackend marking;
  private final DistributedLock lock;
  private final boolean fair;

  private QueueingProcess(
      LockBackend plain, ArrivalBackend marking, DistributedLock lock, boolean fair) {
    this.plain = plain;
    this.marking = marking;
    this.lock = lock;
    this.fair = fair;
  }

  /**
   * Waits for one line, "fair" or "unfair" with threads and rounds, and obeys it.
   *
   * @param args URI, provider, lock name, lease in ms
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockBackend plain = RemoteLock.backend(args[0], args[1]);
        ArrivalBackend marking = new ArrivalBackend(RemoteLock.backend(args[0], args[1]));
        LockService service =
            RemoteLock.patiently(() -> LockService.builder().sharedBackend(marking).open())) {
      System.out.println("ready");
      String line = in.readLine();
      if (line == null) {
        return;
      }
      String[] words = line.split(" ", -1);
      boolean fair = words[0].equals("fair");
      DistributedLock lock = fair ? service.getFairLock(args[2]) : service.getLock(args[2]);
      QueueingProcess process = new QueueingProcess(plain, marking, lock, fair);
      int rounds = Integer.parseInt(words[2]);
      Crew.run(Integer.parseInt(words[1]), number -> process.work(number, rounds));
      System.out.println("done");
    }
  }

  private void work(int thread, int rounds) {
    for (int i = 0; i < rounds; i++) {
      String ticket = ProcessHandle.current().pid() + "/" + thread + "/" + i;
      arrive(ticket);
      lock.lock();
      try {
        append(INSIDE, ticket);
      } finally {
        lock.unlock();
      }
    }
  }

  /** By the unfair lock a thread may wait in its process and send nothing: it says so itself. */
  private void arrive(String ticket) {
    if (fair) {
      marking.announce(lock.name() + ARRIVED, ticket);
    } else {
      append(ARRIVED, ticket);
    }
  }

  private void append(String list, String ticket) {
    Script append = Script.of("append", "return {redis.call('RPUSH', KEYS[1], ARGV[1])}");
    List<Object> unused =
        plain.execute(
            new ScriptCall(
                append, List.of(lock.name() + list), List.of(ticket), Duration.ofSeconds(5)));
  }
}

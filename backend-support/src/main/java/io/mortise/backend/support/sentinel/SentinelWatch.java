package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.Threads;
import io.mortise.backend.support.sentinel.SentinelNodes.Sentinel;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Listens to all sentinels of a master, and asks them. The first sentinels that are asked are those
 * of the URI. They name the others.
 *
 * <p>Whom to believe: each failover has a number, the <em>epoch</em>, and sentinels report it with
 * the master's address. A sentinel that was down during a failover reports the old master with a
 * lower epoch, so the highest epoch wins. One answer is worth less than all others. A sentinel that
 * leads a failover reports the new epoch with the address of the old master, until the failover has
 * ended. Such an answer counts only while no other is known.
 *
 * <p>A message says only that something has changed, without an epoch. So each message makes this
 * class ask the sentinel that sent it. Thread-safe.
 */
final class SentinelWatch {
  /** The epoch of an answer that counts less than any other. */
  private static final long CHANGING = -1;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /**
   * The answer of a sentinel.
   *
   * @param place the master's host and port
   * @param epoch the number of the failover that made it the master
   * @param downAfter how long it is silent before the sentinel believes that it is down
   */
  record Master(String place, long epoch, Duration downAfter) {}

  private final SentinelNodes nodes;
  private final String name;
  private final Consumer<Master> answers;
  private final Executor askers = Threads.daemons("mortise-sentinel-asker", 8);
  private final Map<String, Link> links = new ConcurrentSkipListMap<>();
  private volatile boolean closed;

  /**
   * @param name the name by which the sentinels know the master
   * @param answers receives every answer, also repeated and outdated ones
   */
  SentinelWatch(SentinelNodes nodes, String name, Consumer<Master> answers) {
    this.nodes = nodes;
    this.name = name;
    this.answers = answers;
  }

  /** Connects to the sentinels. The future ends when each is asked and heard, or has failed. */
  CompletableFuture<Void> open(List<String> places) {
    return CompletableFuture.allOf(
        places.stream()
            .map(this::add)
            .flatMap(link -> Stream.of(link.asked, link.heard))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Whether a sentinel would tell of a new master. */
  boolean isListening() {
    return links.values().stream().anyMatch(link -> link.listening);
  }

  private Link add(String place) {
    Link link = links.computeIfAbsent(place, Link::new);
    link.ask();
    return link;
  }

  /** Asks all sentinels, and connects to those without a connection. Does not wait. */
  void askAll() {
    links.values().forEach(Link::ask);
  }

  /** Why sentinels did not answer, or cannot be heard, for a message. */
  String failures() {
    return links.values().stream()
        .flatMap(link -> Stream.of(link.failure, link.deafness))
        .filter(failure -> !failure.isEmpty())
        .collect(Collectors.joining("; "));
  }

  void close() {
    closed = true;
    links.values().forEach(Link::drop);
  }

  private static Map<String, String> facts(Object reply) {
    List<?> words = (List<?>) reply;
    Map<String, String> facts = new HashMap<>();
    for (int i = 0; i + 1 < words.size(); i += 2) {
      facts.put(String.valueOf(words.get(i)), String.valueOf(words.get(i + 1)));
    }
    return facts;
  }

  private static String place(Map<String, String> facts) {
    String host = String.valueOf(facts.get("ip"));
    return (host.contains(":") ? '[' + host + ']' : host) + ':' + facts.get("port");
  }

  /** The link to one sentinel. A link that has failed is made again a second later. */
  private final class Link implements ChannelListener {
    private final String place;
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CompletableFuture<Void> heard = new CompletableFuture<>();

    /** Requests to ask that are not served yet. One thread at a time serves them. */
    private final AtomicInteger requests = new AtomicInteger();

    private volatile @Nullable Sentinel sentinel;
    private volatile boolean listening;
    private volatile String failure;
    private volatile String deafness = "";
    private TimeSource.Timer retry = () -> {};

    Link(String place) {
      this.place = place;
      failure = "sentinel " + place + " has not answered yet";
    }

    void ask() {
      if (!closed && requests.getAndIncrement() == 0) {
        askers.execute(this::serve);
      }
    }

    /** Asks once more if a request came while the sentinel was being asked. */
    private void serve() {
      int served;
      do {
        served = requests.get();
        tryToAsk();
        asked.complete(null);
      } while (requests.addAndGet(-served) > 0);
    }

    private void tryToAsk() {
      retry.close();
      if (closed) {
        return;
      }
      try {
        askOnce(connected());
        failure = "";
      } catch (Exception | LinkageError e) {
        failure = reason(e);
        drop();
        retry = TimeSource.system().schedule(this::ask, PAUSE);
      }
    }

    private Sentinel connected() {
      Sentinel link = sentinel;
      if (link == null) {
        link = nodes.sentinel(place);
        sentinel = link;
        link.subscribe("+switch-master", this);
      }
      return link;
    }

    private void askOnce(Sentinel link) throws Exception {
      Map<String, String> facts = facts(link.ask("SENTINEL", "MASTER", name));
      boolean changing = String.valueOf(facts.get("flags")).contains("failover_in_progress");
      long epoch = Long.parseLong(String.valueOf(facts.get("config-epoch")));
      Duration silence =
          Duration.ofMillis(Long.parseLong(facts.getOrDefault("down-after-milliseconds", "0")));
      answers.accept(new Master(place(facts), changing ? CHANGING : epoch, silence));
      if (linked() <= Long.parseLong(String.valueOf(facts.get("num-other-sentinels")))) {
        link.ask("SENTINEL", "SENTINELS", name).forEach(other -> add(place(facts(other))));
      }
      if (closed) {
        drop();
      }
    }

    private long linked() {
      return links.values().stream().filter(link -> link.sentinel != null).count();
    }

    private String reason(Throwable e) {
      String said = String.valueOf(e.getMessage());
      return said.startsWith("ERR No such master")
          ? "sentinel %s knows no master '%s', it knows %s".formatted(place, name, names())
          : said;
    }

    /** The names of the masters that the sentinel knows. */
    private String names() {
      try {
        return connected().ask("SENTINEL", "MASTERS").stream()
            .map(master -> "'" + facts(master).get("name") + "'")
            .collect(Collectors.joining(", "));
      } catch (Exception e) {
        return "others (" + e.getMessage() + ")";
      }
    }

    private void drop() {
      Sentinel link = sentinel;
      sentinel = null;
      listening = false;
      heard.complete(null);
      if (link != null) {
        link.close();
      }
    }

    @Override
    public void onSubscribed() {
      listening = true;
      deafness = "";
      heard.complete(null);
      ask();
    }

    @Override
    public void onMessage(String message) {
      ask();
    }

    @Override
    public void onInterrupted(Throwable cause) {
      listening = false;
      deafness = "sentinel " + place + " cannot be heard: " + cause.getMessage();
      heard.complete(null);
      ask();
    }
  }
}

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Starts workers of both versions on one server, kills some, and orders steps.
 *
 * <p>Arguments: folder for logs, URI, class path of the older version, class path of this version,
 * seconds of load, rounds.
 */
public final class Run {
  private static final List<String> WAYS =
      List.of("plain", "fair", "fenced", "write", "read", "permit", "wanted", "signal", "lost");
  private static final List<String> BACKENDS = List.of("jedis", "lettuce");
  private static final int SECONDS_BETWEEN_KILLS = 6;

  private final Path folder;
  private final String uri;
  private final String[] classPaths;
  private final List<Worker> running = new ArrayList<>();

  private Run(String[] args) {
    folder = Path.of(args[0]);
    uri = args[1];
    classPaths = new String[] {args[2], args[3]};
  }

  public static void main(String[] args) throws Exception {
    Run run = new Run(args);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> run.running.forEach(Worker::kill)));
    run.load(Integer.parseInt(args[4]));
    run.steps(Integer.parseInt(args[5]));
  }

  /** A process of one version. */
  private final class Worker {
    final String version;
    final String backend;
    final String name;
    final Process process;
    private final BufferedReader words;
    private boolean ready;

    Worker(String version, String backend, String name, String task) throws IOException {
      this.version = version;
      this.backend = backend;
      this.name = name;
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx128m",
                  "-cp",
                  classPaths[version.equals("old") ? 0 : 1],
                  "Worker",
                  name,
                  version,
                  backend,
                  uri,
                  folder.resolve(name + ".log").toString(),
                  task)
              .redirectError(
                  ProcessBuilder.Redirect.appendTo(new File(folder.toFile(), name + ".err")))
              .start();
      words =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      running.add(this);
    }

    void awaitReady() throws IOException {
      if (!ready) {
        expect("ready");
        ready = true;
      }
    }

    void order(String... order) throws IOException {
      process
          .getOutputStream()
          .write((String.join(" ", order) + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    }

    void expect(String word) throws IOException {
      String said = words.readLine();
      if (!word.equals(said)) {
        throw new IllegalStateException(
            name + " said " + said + " and not " + word + "; see " + folder + "/" + name + ".err");
      }
    }

    void finish() throws Exception {
      order("finish");
      if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException(name + " did not finish; see " + folder);
      }
      running.remove(this);
    }

    /** As {@code kill -9} does. */
    void kill() {
      process.destroyForcibly();
    }
  }

  private void load(int seconds) throws Exception {
    List<Worker> workers = new ArrayList<>();
    for (String version : List.of("old", "new")) {
      for (String backend : BACKENDS) {
        workers.add(new Worker(version, backend, version + "." + backend + ".0", "load"));
      }
    }
    for (Worker worker : workers) {
      worker.awaitReady();
    }
    Random random = new Random();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int kills = 1; System.nanoTime() < end; kills++) {
      TimeUnit.SECONDS.sleep(SECONDS_BETWEEN_KILLS);
      Worker victim = workers.get(random.nextInt(workers.size()));
      victim.awaitReady();
      victim.kill();
      victim.process.waitFor();
      running.remove(victim);
      workers.remove(victim);
      tell("killed " + victim.name);
      String next = victim.version + "." + victim.backend + "." + kills;
      workers.add(new Worker(victim.version, victim.backend, next, "load"));
    }
    for (Worker worker : workers) {
      worker.awaitReady();
      worker.finish();
    }
  }

  private void steps(int rounds) throws Exception {
    for (String backend : BACKENDS) {
      Worker old = new Worker("old", backend, "old." + backend + ".steps", "steps");
      Worker now = new Worker("new", backend, "new." + backend + ".steps", "steps");
      old.awaitReady();
      now.awaitReady();
      for (String way : WAYS) {
        for (int i = 0; i < rounds; i++) {
          round(way, "-old-new-" + backend + i, old, now);
          round(way, "-new-old-" + backend + i, now, old);
        }
      }
      old.finish();
      now.finish();
    }
  }

  /** One message from a process to the other, of which the latter has to learn something. */
  private static void round(String way, String names, Worker from, Worker to) throws IOException {
    String round = way + names;
    switch (way) {
      case "signal" -> {
        to.order("await", round);
        to.expect("waiting");
        from.order("signal", round);
        to.expect("woken");
      }
      case "lost" -> {
        take(to, round, true);
        from.order("force", round);
        to.expect("lost");
        drop(to, round);
      }
      case "wanted" -> {
        take(to, round, true);
        drop(to, round);
        from.order("held", round); // it is kept, and no thread has it
        from.expect("held");
        take(from, round, false);
        drop(from, round);
      }
      default -> {
        take(from, round, true);
        to.order("take", round);
        from.order("queued", round);
        from.expect("queued");
        drop(from, round);
        to.expect("got");
        drop(to, round);
      }
    }
  }

  private static void take(Worker worker, String round, boolean first) throws IOException {
    if (first) {
      worker.order("take", round, "first");
    } else {
      worker.order("take", round);
    }
    worker.expect("got");
  }

  private static void drop(Worker worker, String round) throws IOException {
    worker.order("drop", round);
    worker.expect("dropped");
  }

  private void tell(String event) throws IOException {
    Files.writeString(
        folder.resolve("run.log"),
        System.nanoTime() + " " + event + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}

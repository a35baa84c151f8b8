package io.mortise.cli;

import io.mortise.FencedLock;
import io.mortise.LeaderElection;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.conformance.lock.fixture.RemoteLock;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A candidate in a process of its own. It asks {@code isLeader} a hundred times a second, and logs
 * each answer with the times before and after the question. Each line is one write, so a killed
 * process loses none. {@link ElectionLog} judges the lines.
 */
final class CandidateProcess implements LeaderElection.Leader {
  private static final long PERIOD = Duration.ofMillis(10).toNanos();

  private final FileOutputStream file;
  private final long pid = ProcessHandle.current().pid();

  private CandidateProcess(FileOutputStream file) {
    this.file = file;
  }

  /**
   * Runs the process. It obeys the commands term, time, step-down and close.
   *
   * @param args URI, provider, lock name, lease in ms, log file
   */
  public static void main(String[] args) throws IOException {
    Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (FileOutputStream file = new FileOutputStream(args[4], true);
        LockService service =
            RemoteLock.patiently(() ->
                LockService.builder().uri(args[0]).provider(args[1]).leaseTime(lease).open())) {
      FencedLock lock = service.getFencedLock(args[2]);
      CandidateProcess candidate = new CandidateProcess(file);
      LeaderElection election = LeaderElection.join(lock, candidate);
      Thread sampler = new Thread(() -> candidate.sample(election), "sampler");
      sampler.setDaemon(true);
      sampler.start();
      System.out.println("ready");
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        System.out.println(obey(command, election));
      }
    }
  }

  private static String obey(String command, LeaderElection election) {
    switch (command) {
      case "term" -> {
        return Long.toString(election.term().orElse(0));
      }
      case "time" -> {
        return Long.toString(System.nanoTime());
      }
      case "step-down" -> election.stepDown(Duration.ofMillis(500)).join();
      case "close" -> election.close();
      default -> throw new IllegalArgumentException(command);
    }
    return command;
  }

  private void sample(LeaderElection election) {
    while (true) {
      long term = election.term().orElse(0);
      long before = System.nanoTime();
      boolean leads = election.isLeader();
      long after = System.nanoTime();
      write("asked", before, after, leads, term);
      LockSupport.parkNanos(PERIOD);
    }
  }

  @Override
  public void onElected(long term) {
    write("elected", System.nanoTime(), term);
  }

  @Override
  public void onRevoked(long term, Optional<LossCause> loss) {
    write("revoked", System.nanoTime(), term);
  }

  private void write(String verb, Object... words) {
    StringBuilder line = new StringBuilder(verb).append(' ').append(pid);
    for (Object each : words) {
      line.append(' ').append(each);
    }
    try {
      file.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

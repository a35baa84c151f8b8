package io.mortise.conformance.lock.permit;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.fixture.RemoteLock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own at the other end of a {@link RemoteLock}, with a semaphore and a count-down
 * latch of one name.
 */
final class SyncProcess {
  private final DistributedSemaphore semaphore;
  private final DistributedCountDownLatch latch;
  private final List<Lease> leases = new ArrayList<>();

  private SyncProcess(LockService service, String name) {
    semaphore = service.getSemaphore(name);
    latch = service.getCountDownLatch(name);
  }

  static RemoteLock start(RedisKit kit, String name, String lease) {
    Duration time = Duration.ofMillis(Long.parseLong(lease));
    return RemoteLock.start(SyncProcess.class, kit, name, time, "");
  }

  /**
   * Executes one command per line: acquire and a number, close, await or countDown.
   *
   * @param args URI, provider, name, lease in ms
   */
  public static void main(String[] args) throws IOException {
    Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockService service =
        RemoteLock.patiently(
            () -> LockService.builder().uri(args[0]).provider(args[1]).leaseTime(lease).open())) {
      SyncProcess process = new SyncProcess(service, args[2]);
      System.out.println("ready");
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        System.out.println(process.obey(command));
      }
    }
  }

  private String obey(String command) {
    String[] words = command.split(" ", -1);
    try {
      switch (words[0]) {
        case "acquire" -> leases.add(semaphore.acquire(Integer.parseInt(words[1])));
        case "close" -> leases.remove(0).close();
        case "await" -> latch.await();
        case "countDown" -> latch.countDown();
        default -> throw new IllegalArgumentException(command);
      }
      return command;
    } catch (RuntimeException | InterruptedException e) {
      return e.getClass().getSimpleName();
    }
  }
}

package io.mortise.cli;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A process with planted faults: it holds a lock while it sleeps, reads a socket, or for ever. */
final class PlantedProcess {
  private static final long SLOW = Duration.ofMillis(1200).toMillis();

  private final DistributedLock lock;

  private PlantedProcess(DistributedLock lock) {
    this.lock = lock;
  }

  /**
   * Runs the process. It obeys the commands sleep, read and keep, each on a thread of its own, and
   * ends with its input.
   *
   * @param args URI, lock name
   */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    LockService service = LockService.open(args[0], "jedis"); // open to the end, as in an incident
    PlantedProcess process = new PlantedProcess(service.getLock(args[1]));
    System.out.println("told ready");
    for (String command = in.readLine(); command != null; command = in.readLine()) {
      process.begin(command);
    }
    System.exit(0);
  }

  private void begin(String command) {
    Thread worker =
        new Thread(
            () -> {
              switch (command) {
                case "sleep" -> shipSlowly();
                case "read" -> askSlowServer();
                case "keep" -> keep();
                default -> throw new IllegalArgumentException(command);
              }
            },
            "worker-" + command);
    worker.setDaemon(true);
    worker.start();
  }

  private void shipSlowly() {
    lock.lock();
    System.out.println("told sleep");
    pause(SLOW);
    lock.unlock();
  }

  private void askSlowServer() {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket answering = server.accept()) {
      lock.lock();
      System.out.println("told read");
      Thread slow = new Thread(() -> answerLate(answering), "slow-server");
      slow.start();
      int unused = client.getInputStream().read();
      lock.unlock();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answerLate(Socket socket) {
    pause(SLOW);
    try {
      socket.getOutputStream().write(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void keep() {
    var unused = lock.onLeaseLost(change -> System.out.println("told lost"));
    lock.lock();
    System.out.println("told keep");
    pause(TimeUnit.MINUTES.toMillis(10));
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

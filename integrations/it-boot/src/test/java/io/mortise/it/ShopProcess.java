package io.mortise.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The application in a process of its own. */
final class ShopProcess {
  private final Process process;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();
  private final StringBuffer output = new StringBuffer();

  private ShopProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "output of the other process");
    reader.setDaemon(true);
    reader.start();
  }

  /** Begins to start it. */
  static ShopProcess start(String... properties) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ShopApplication.class.getName());
    command.addAll(Shop.arguments(properties));
    return new ShopProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ShopApplication.READY)) {
          port.complete(Integer.parseInt(line.substring(ShopApplication.READY.length())));
        }
        output.append(line).append('\n');
      }
    } catch (IOException e) {
      output.append(e);
    }
    port.completeExceptionally(new IllegalStateException("the process ended:\n" + output));
  }

  HttpResponse<String> response(String path) throws Exception {
    return Shop.response("GET", address() + path);
  }

  HttpResponse<String> delete(String path) throws Exception {
    return Shop.response("DELETE", address() + path);
  }

  /** The body of a page. */
  String get(String path) throws Exception {
    return response(path).body();
  }

  /** Waits until it is ready. That takes time on a busy machine, which is not a test's. */
  void awaitReady() {
    port.orTimeout(2, TimeUnit.MINUTES).join();
  }

  /** The warnings that it has logged. */
  List<String> warnings() {
    return output.toString().lines().filter(line -> line.contains(" WARN ")).toList();
  }

  private String address() {
    return "http://127.0.0.1:" + port.join();
  }

  /** Ends it at once. */
  void end() {
    process.destroyForcibly();
  }
}

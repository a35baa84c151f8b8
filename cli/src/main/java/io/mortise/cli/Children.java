package io.mortise.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The processes of a demo and the file of their counter. Neither outlives this JVM. */
final class Children implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final CounterFile file = CounterFile.create();
  private final List<ChildProcess> processes = new CopyOnWriteArrayList<>();
  private final Thread end = new Thread(this::kill, "mortise-demo-end");

  private Children() {
    Runtime.getRuntime().addShutdownHook(end);
  }

  /** Starts all processes, and waits until each has opened its store. */
  static Children start(DemoPlan plan, String lockName) {
    Children children = new Children();
    try {
      int number = 0;
      for (String backend : plan.backends()) {
        LocalParty.Site site =
            new LocalParty.Site(plan.uri(), backend, lockName, plan.kind(), plan.retain());
        children.processes.add(ChildProcess.start(++number, site, children.file, plan.workers()));
      }
      children.awaitReady();
      return children;
    } catch (RuntimeException e) {
      children.close();
      throw e;
    }
  }

  private void awaitReady() {
    if (!new Reports(processes.stream().map(ChildProcess::ready).toList()).await(PATIENCE)) {
      throw new Failure(
          Failure.UNEXPECTED, "not all processes were ready within " + PATIENCE, null);
    }
  }

  Counter counter() {
    return Counter.inFile(file.path());
  }

  List<ChildProcess> processes() {
    return processes;
  }

  private void kill() {
    processes.forEach(ChildProcess::kill);
    file.delete();
  }

  @Override
  public void close() {
    processes.forEach(ChildProcess::close);
    file.delete();
    try {
      Runtime.getRuntime().removeShutdownHook(end);
    } catch (IllegalStateException e) {
      // The JVM is ending and runs the hook.
    }
  }
}

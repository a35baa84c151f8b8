package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Carries out the plan of faults, and logs a line before and after each one. */
final class Injector {
  private final Log log;
  private final Store store;
  private final Staff staff;

  Injector(Log log, Store store, Staff staff) {
    this.log = log;
    this.store = store;
    this.staff = staff;
  }

  /** Carries out the whole plan. Returns when the last fault is over. */
  void run(List<PlannedFault> plan) throws InterruptedException, ExecutionException {
    long start = System.nanoTime();
    ExecutorService threads = Executors.newCachedThreadPool();
    Map<String, List<PlannedFault>> parts =
        plan.stream().collect(Collectors.groupingBy(PlannedFault::target));
    try {
      List<Future<?>> all = new ArrayList<>();
      parts.forEach((part, faults) -> all.add(threads.submit(() -> follow(part, faults, start))));
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Disturbs one part, with one fault after another. A fault whose time has come waits until the
   * one before it is over.
   */
  private void follow(String part, List<PlannedFault> faults, long start) {
    long last = faults.get(faults.size() - 1).at();
    for (int i = 0; i < faults.size(); i++) {
      PlannedFault fault = faults.get(i);
      long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      if (now > last) {
        return; // the time of the faults is over
      }
      sleep(Math.max(0, fault.at() - now));
      inject(part.replace(' ', '-') + '-' + i, fault);
    }
  }

  private void inject(String id, PlannedFault fault) {
    switch (fault.sort()) {
      case KILL, FREEZE -> spoilWorker(id, fault);
      default -> store.inject(id, fault);
    }
  }

  private void spoilWorker(String id, PlannedFault fault) {
    WorkerProcess worker = staff.find(fault.worker());
    if (worker == null) {
      throw new IllegalStateException("worker " + fault.worker() + " was not replaced");
    }
    Faults.begin(log, id, fault.sort(), "client", worker.name());
    if (fault.sort() == Fault.Sort.KILL) {
      staff.kill(fault.worker());
      Faults.end(log, id);
      sleep(fault.lasts());
      staff.replace(fault.worker());
    } else {
      worker.pause();
      sleep(fault.lasts());
      worker.resume();
      Faults.end(log, id);
    }
  }

  static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a run is never interrupted", e);
    }
  }
}

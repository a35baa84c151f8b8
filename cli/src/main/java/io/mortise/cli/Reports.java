package io.mortise.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The future reports of several parties. It completes when all have reported, and fails as soon as
 * one has failed.
 */
final class Reports {
  private final List<CompletableFuture<Tally>> reports;
  private final CompletableFuture<Void> all;

  Reports(List<CompletableFuture<Tally>> reports) {
    this.reports = reports;
    all = CompletableFuture.allOf(reports.toArray(CompletableFuture<?>[]::new));
    for (CompletableFuture<Tally> report : reports) {
      CompletableFuture<?> unused =
          report.whenComplete((tally, failure) -> {
            if (failure != null) {
              all.completeExceptionally(failure);
            }
          });
    }
  }

  /** Waits for all reports. Returns false if the time ends first. */
  boolean await(Duration time) {
    try {
      all.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw Failure.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure(Failure.UNEXPECTED, "interrupted", e);
    }
  }

  /** The reports in the order of the parties. All must have arrived. */
  List<Tally> tallies() {
    return reports.stream().map(CompletableFuture::join).toList();
  }
}

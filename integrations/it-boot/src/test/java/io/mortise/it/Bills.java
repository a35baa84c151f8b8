package io.mortise.it;

import io.mortise.spring.ScheduledLock;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** A job that goes on after its method has returned. */
@Service
public class Bills {
  @ScheduledLock(name = "bills")
  public CompletableFuture<Void> write(CompletableFuture<Void> end) {
    return end;
  }
}

package io.mortise.it;

import io.mortise.spring.WithLock;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Work under a lock that ends when a test says so. */
@Service
public class SlowWork {
  static final CompletableFuture<Void> begun = new CompletableFuture<>();
  static final CompletableFuture<Void> mayEnd = new CompletableFuture<>();

  @WithLock("slow")
  public String work() {
    begun.complete(null);
    mayEnd.join();
    return "finished";
  }
}

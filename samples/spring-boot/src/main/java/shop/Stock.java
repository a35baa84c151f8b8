package shop;

import io.mortise.spring.ScheduledLock;
import io.mortise.spring.WithLock;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** The stock of a shop whose processes sell one piece of a product at a time. */
@Service
public class Stock {
  private int sold; // no atomic: the lock alone protects it

  /** One call with a product runs at a time, in all processes. */
  @WithLock("product:#{#product}")
  public void sell(long product) {
    int before = sold;
    Thread.yield(); // without the lock, others would now write too
    sold = before + 1;
  }

  /** Runs in one process. The others skip it while it runs. */
  @Scheduled(fixedRate = 60_000)
  @ScheduledLock(name = "report", atLeast = "1m", maxHold = "5m")
  public void report() {
    System.out.println("the report was made here");
  }

  public int sold() {
    return sold;
  }
}

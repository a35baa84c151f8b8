package io.mortise.it;

import io.mortise.LockService;
import io.mortise.spring.LockBusyException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The application's pages. */
@RestController
public class ShopController {
  private final CounterService counter;
  private final Ledger ledger;
  private final SlowWork slow;
  private final Sales sales;
  private final LockService locks;

  ShopController(
      CounterService counter, Ledger ledger, SlowWork slow, Sales sales, LockService locks) {
    this.counter = counter;
    this.ledger = ledger;
    this.slow = slow;
    this.sales = sales;
    this.locks = locks;
  }

  @GetMapping("/book-and-lose")
  public String bookAndLose() {
    ledger.book(() -> locks.getLock("ledger").forceUnlock());
    return "booked";
  }

  @GetMapping("/slow")
  public String slow() {
    return slow.work();
  }

  @GetMapping("/sales")
  public String sales() {
    return sales.count().map(Object::toString).orElse("skipped");
  }

  @GetMapping("/increment")
  public long increment() {
    return counter.increment();
  }

  @GetMapping("/pay")
  public String pay(@RequestParam(name = "id", required = false) String id) {
    return counter.pay(id);
  }

  @GetMapping("/pay-if-free")
  public String payIfFree(@RequestParam("id") String id) {
    return counter.payIfFree(id).orElse("busy");
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.CONFLICT)
  public String busy(LockBusyException e) {
    return "busy: " + e.getMessage();
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
  public String other(RuntimeException e) {
    return e.getClass().getName() + ": " + e.getMessage();
  }
}

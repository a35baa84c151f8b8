package io.mortise.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.spi.LockBackend;
import io.mortise.spring.LockContext;
import io.mortise.spring.ScheduledLock;
import io.mortise.spring.WithLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The sample of docs/testing.md, and that the page has it. */
class MovedTimeTest {
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @EnableScheduling
  @Import(Reports.class)
  static class Application {}

  // sample
  static class Reports { // a bean of the application
    private final AtomicInteger written = new AtomicInteger();

    @Scheduled(cron = "${reports.cron:0 0 * * * *}")
    @ScheduledLock(name = "reports", atLeast = "1m", maxHold = "30m")
    public void write() {
      written.incrementAndGet();
    }

    public int written() {
      return written.get();
    }

    @WithLock("orders:#{#id}")
    public void pay(long id, Runnable bank) {
      bank.run();
      LockContext.ensureHeld();
    }
  }

  // end of sample

  @Nested
  // sample
  @SpringBootTest(properties = "reports.cron=-") // the tests call the job themselves
  class ReportsTest {
    @TestConfiguration(proxyBeanMethods = false)
    static class InMemory {
      @Bean
      LockWorld world() {
        return LockWorld.withMovableTime(Duration.ofSeconds(30)); // the lease of other processes
      }

      @Bean
      LockBackend locks(LockWorld world) { // in place of the application's Redis
        return world.backend();
      }
    }

    @Test
    void aJobIsRunAgainWhenItsProcessHasDied(
        @Autowired Reports reports, @Autowired LockWorld world) {
      int before = reports.written();
      LockService other = world.anotherProcess();
      other.getLock("reports").lock();
      reports.write(); // skipped: the other process runs it
      assertEquals(before, reports.written());

      world.crash(other);
      world.advance(Duration.ofSeconds(31));
      reports.write();
      assertEquals(before + 1, reports.written());

      reports.write(); // skipped: it ran less than a minute ago
      assertEquals(before + 1, reports.written());
    }

    @Test
    void aLongPaymentKeepsItsLock(@Autowired Reports reports, @Autowired LockWorld world) {
      reports.pay(42, () -> world.advance(Duration.ofHours(1))); // renewed meanwhile
    }

    @Test
    void aLostLockIsAnException(@Autowired Reports reports, @Autowired LockWorld world) {
      LockService other = world.anotherProcess();
      assertThrows(
          LeaseLostException.class,
          () -> reports.pay(42, () -> other.getLock("orders:42").forceUnlock()));
    }
  }

  // end of sample

  @Test
  void thePageHasThisCode() throws Exception {
    String[] parts =
        Files.readString(Path.of("src/test/java/io/mortise/spring/boot/MovedTimeTest.java"))
            .split("\n *// (end of )?sample\n", -1);
    assertEquals(5, parts.length);
    String page = words(Files.readString(Path.of("../../docs/testing.md")));
    assertTrue(page.contains(words(parts[1])), "docs/testing.md differs from " + parts[1]);
    assertTrue(page.contains(words(parts[3])), "docs/testing.md differs from " + parts[3]);
  }

  private static String words(String text) {
    return Arrays.stream(text.split("\\s+")).collect(Collectors.joining());
  }
}

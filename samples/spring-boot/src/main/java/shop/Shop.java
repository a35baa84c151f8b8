package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Four threads sell 250 pieces each of one product. */
@SpringBootApplication
@EnableScheduling
public class Shop {
  private static final int WORKERS = 4;
  private static final int SALES = 250;

  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args).close();
  }

  @Bean
  CommandLineRunner sales(Stock stock) {
    return args -> {
      ExecutorService pool = Executors.newFixedThreadPool(WORKERS);
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        workers.add(pool.submit(() -> sell(stock)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
      pool.shutdown();
      System.out.printf("sold %d of %d%n", stock.sold(), WORKERS * SALES);
      if (stock.sold() != WORKERS * SALES) {
        throw new IllegalStateException("sales are missing");
      }
    };
  }

  private static void sell(Stock stock) {
    for (int i = 0; i < SALES; i++) {
      stock.sell(42);
    }
  }
}

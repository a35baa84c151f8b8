package io.mortise.it;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** An application with Redis, a database and a web server, as users have it. */
@SpringBootApplication
@EnableScheduling
public class ShopApplication {
  static final String READY = "ready on port ";

  /** Tells the port when it is ready. */
  public static void main(String[] arguments) {
    var context = SpringApplication.run(ShopApplication.class, arguments);
    System.out.println(READY + context.getEnvironment().getProperty("local.server.port"));
  }
}

package io.mortise.it;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The application in two processes on one Redis with a password, with the starter and the meters as
 * its only additions. They are started once, for all test classes, and end with this process.
 *
 * <p>One of them is this process. It has observations and the whole endpoint. The other one has
 * what is on by default.
 */
final class TwoShops {
  static final RedisServer REDIS = RedisServer.builder().password("secret").start();
  static final ShopProcess OTHER;
  static final Shop HERE;

  static {
    try {
      OTHER = ShopProcess.start(properties());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(OTHER::end));
    HERE =
        Shop.start(
            properties(
                "spring.main.register-shutdown-hook=false",
                "mortise.observations.enabled=true",
                "mortise.actuator.force-unlock=true",
                "management.endpoint.locks.show-values=always"));
    OTHER.awaitReady();
  }

  private TwoShops() {}

  /** What all processes on this Redis have, and more. */
  static String[] properties(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "spring.data.redis.port=" + REDIS.port(),
                "spring.data.redis.password=secret",
                "shop.reports=* * * * * *",
                "management.endpoints.web.exposure.include=locks,metrics"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** A lock of this process. */
  static DistributedLock lock(String name) {
    return HERE.bean(LockService.class).getLock(name);
  }

  /** The first value of a meter of this process. */
  static double meter(String nameAndTags) {
    try {
      return meter(HERE.response("/actuator/metrics/" + nameAndTags));
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The first value on a meter's page; 0 if there is no such meter. */
  static double meter(HttpResponse<String> page) {
    Matcher number = Pattern.compile("\"value\":([0-9.E-]+)").matcher(page.body());
    return page.statusCode() == 200 && number.find() ? Double.parseDouble(number.group(1)) : 0;
  }
}

package io.mortise.spring.boot;

import io.mortise.LockService;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Closes the application's lock service in good order: after the schedulers and the web server have
 * finished their work, and before the connection factory. A context that only stops, to start
 * again, keeps its service.
 */
final class LockServiceShutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {
  /** After the web server, and after schedulers and executors, which stop at half of the phases. */
  static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 4096;

  private static final Logger LOG = LoggerFactory.getLogger(LockServiceShutdown.class);

  private final LockService service;
  private final Duration patience;
  private final ApplicationContext context;
  private volatile boolean running;
  private volatile boolean closing;

  LockServiceShutdown(LockService service, Duration patience, ApplicationContext context) {
    this.service = service;
    this.patience = patience;
    this.context = context;
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    closing |= event.getApplicationContext().equals(context);
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    if (closing && !service.close(patience)) {
      LOG.warn(
          "some locks were still held {} after the application began to close; they end with their leases; raise mortise.close-timeout if their work takes longer",
          patience);
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}

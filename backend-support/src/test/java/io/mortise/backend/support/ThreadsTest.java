package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** Threads of a backend that is opened while a web server starts its application. */
class ThreadsTest {
  @Test
  void aDaemonDoesNotHaveTheClassLoaderOfTheThreadThatStartsIt() throws Exception {
    Thread caller = Thread.currentThread();
    ClassLoader before = caller.getContextClassLoader();
    ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
    try (URLClassLoader application = new URLClassLoader(new URL[0])) {
      caller.setContextClassLoader(application);
      ClassLoader inDaemon =
          daemons.submit(() -> Thread.currentThread().getContextClassLoader()).get();
      assertSame(Threads.class.getClassLoader(), inDaemon);
    } finally {
      caller.setContextClassLoader(before);
      daemons.shutdownNow();
    }
  }
}

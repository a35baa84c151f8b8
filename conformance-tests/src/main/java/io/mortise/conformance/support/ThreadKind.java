package io.mortise.conformance.support;

import java.util.Objects;
import org.junit.jupiter.api.Assumptions;

/** Platform threads, and virtual threads where the JDK has them. */
public enum ThreadKind {
  PLATFORM {
    @Override
    public Thread start(Runnable task) {
      Thread thread = new Thread(task, "mortise-kit");
      thread.setDaemon(true);
      thread.start();
      return thread;
    }
  },
  VIRTUAL {
    @Override
    public Thread start(Runnable task) {
      try {
        // By reflection, because the kit is compiled for Java 17.
        Object thread =
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        return (Thread) Objects.requireNonNull(thread);
      } catch (NoSuchMethodException e) {
        return Assumptions.abort("this JDK has no virtual threads");
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      }
    }
  };

  public abstract Thread start(Runnable task);
}

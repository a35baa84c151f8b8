package io.mortise.cdi;

import io.mortise.LockService;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.literal.NamedLiteral;
import java.lang.annotation.Annotation;

/** The lock services among the beans. */
final class LockServices {
  private LockServices() {}

  /**
   * The service for a method.
   *
   * @throws LockedMethodException there is none, there are several and none is named, or each use
   *     would open another one
   */
  static LockService of(LockedMethod method, Instance<LockService> all) {
    Annotation qualifier =
        method.service().isEmpty() ? Default.Literal.INSTANCE : NamedLiteral.of(method.service());
    Instance<LockService> services = all.select(qualifier);
    if (services.isUnsatisfied()) {
      throw new LockedMethodException(
          "%s needs the lock service %s, and there is none"
              .formatted(
                  method,
                  method.service().isEmpty()
                      ? "of the application"
                      : "@Named(\"" + method.service() + "\")"),
          "Write a producer of io.mortise.LockService with @Produces and @ApplicationScoped (docs/reactive-and-cdi.md#cdi)");
    }
    if (services.isAmbiguous()) {
      throw new LockedMethodException(
          method + " names no lock service, and there are several",
          "Give their producers @Named, and set service = \"…\"");
    }
    Instance.Handle<LockService> service = services.getHandle();
    if (service.getBean().getScope() == Dependent.class) {
      throw new LockedMethodException(
          method
              + " needs a lock service, and its producer has no scope, so each call would open one",
          "Give the producer @ApplicationScoped or @Singleton");
    }
    return service.get();
  }
}

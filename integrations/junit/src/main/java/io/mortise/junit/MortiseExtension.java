package io.mortise.junit;

import io.mortise.LockService;
import io.mortise.junit.MortiseTest.Leaks;
import io.mortise.junit.MortiseTest.Time;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives each test a {@link LockWorld}, and closes it after the test. {@link MortiseTest} describes
 * what a test gets. To compute settings, register it by hand:
 *
 * <pre>{@code
 * @RegisterExtension
 * final MortiseExtension mortise = new MortiseExtension().withLeaseTime(Orders.LEASE);
 * }</pre>
 *
 * <p>Immutable. A class has either the annotation or a registered extension, not both.
 */
public final class MortiseExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(MortiseExtension.class);

  private record Settings(Duration leaseTime, Time time, Leaks leaks) {
    static final Settings DEFAULT = new Settings(Duration.ofSeconds(30), Time.MOVABLE, Leaks.FAIL);
  }

  /** The settings of a registered extension; null: those of the annotation. */
  private final @Nullable Settings settings;

  /** Creates an extension with the settings of {@link MortiseTest}, or its defaults. */
  public MortiseExtension() {
    this(null);
  }

  private MortiseExtension(@Nullable Settings settings) {
    this.settings = settings;
  }

  private Settings base() {
    return settings == null ? Settings.DEFAULT : settings;
  }

  /**
   * Sets the lease of holds without an explicit lease.
   *
   * @param leaseTime at least 100 ms; default 30 s
   * @return another extension
   */
  public MortiseExtension withLeaseTime(Duration leaseTime) {
    return new MortiseExtension(new Settings(leaseTime, base().time, base().leaks));
  }

  /**
   * Sets the time of the store.
   *
   * @param time default {@link Time#MOVABLE}
   * @return another extension
   */
  public MortiseExtension withTime(Time time) {
    return new MortiseExtension(new Settings(base().leaseTime, time, base().leaks));
  }

  /**
   * Sets what a hold after the test means.
   *
   * @param leaks default {@link Leaks#FAIL}
   * @return another extension
   */
  public MortiseExtension withLeaks(Leaks leaks) {
    return new MortiseExtension(new Settings(base().leaseTime, base().time, leaks));
  }

  @Override
  public void beforeEach(ExtensionContext context) throws InterruptedException {
    Settings chosen = settings(context);
    LockWorld world =
        chosen.time == Time.MOVABLE
            ? LockWorld.withMovableTime(chosen.leaseTime)
            : LockWorld.withSystemTime(chosen.leaseTime);
    context.getStore(NAMESPACE).put(LockWorld.class, world);
    for (String name : heldElsewhere(context)) {
      world.holdElsewhere(name);
    }
  }

  /** The settings of this object, or else those of the nearest annotation around the test. */
  private Settings settings(ExtensionContext context) {
    if (settings != null) {
      return settings;
    }
    for (Class<?> type = context.getRequiredTestClass();
        type != null;
        type = type.getEnclosingClass()) {
      Optional<MortiseTest> said = AnnotationSupport.findAnnotation(type, MortiseTest.class);
      if (said.isPresent()) {
        Duration leaseTime = LeaseTime.parse(said.get().leaseTime());
        return new Settings(leaseTime, said.get().time(), said.get().leaks());
      }
    }
    return Settings.DEFAULT;
  }

  /** What the method says, and each class around it. */
  private static Set<String> heldElsewhere(ExtensionContext context) {
    Set<String> names = new LinkedHashSet<>();
    Stream<AnnotatedElement> classes =
        Stream.<Class<?>>iterate(
                context.getRequiredTestClass(), Objects::nonNull, Class::getEnclosingClass)
            .map(each -> each);
    Stream.concat(classes, Stream.of(context.getRequiredTestMethod()))
        .map(place -> AnnotationSupport.findAnnotation(place, HeldElsewhere.class))
        .flatMap(Optional::stream)
        .forEach(held -> names.addAll(List.of(held.value())));
    return names;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    LockWorld world = context.getStore(NAMESPACE).remove(LockWorld.class, LockWorld.class);
    if (world == null) {
      return; // opening it has failed, and that is the test's error
    }
    try (world) {
      boolean checked = settings(context).leaks == Leaks.FAIL;
      if (checked && context.getExecutionException().isEmpty()) {
        failOn(world.leaks());
      }
    }
  }

  private static void failOn(List<StoreHold> leaks) {
    if (!leaks.isEmpty()) {
      throw new AssertionError(
          "the test has ended, and its service still holds "
              + leaks.stream().map(StoreHold::toString).collect(Collectors.joining("; "))
              + ". Unlock or close in a finally block, or set leaks = IGNORE");
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == LockService.class || type == LockWorld.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    LockWorld world = context.getStore(NAMESPACE).get(LockWorld.class, LockWorld.class);
    if (world == null) {
      throw new ParameterResolutionException(
          "%s has a parameter of type %s, which exists for each test alone; make it a parameter of the test method, or of a method with @BeforeEach or @AfterEach"
              .formatted(parameter.getDeclaringExecutable(), type.getSimpleName()));
    }
    return type == LockWorld.class ? world : world.service();
  }
}

package io.mortise.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * The classes that this module looks for by name. Without them a native image would know neither
 * transactions nor publishers, and would release their locks too early. The methods with {@link
 * WithLock} need no hint here: the annotation is one ({@link LockedMethodHints}).
 */
final class WithLockRuntimeHints implements RuntimeHintsRegistrar {
  private static final List<String> OPTIONAL =
      List.of(
          "org.springframework.transaction.ConfigurableTransactionManager",
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          "org.springframework.transaction.reactive.TransactionSynchronizationManager",
          "reactor.core.publisher.Flux",
          "jakarta.annotation.PostConstruct",
          "jakarta.annotation.PreDestroy");

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    OPTIONAL.forEach(name -> hints.reflection().registerTypeIfPresent(loader, name, type -> {}));
  }
}

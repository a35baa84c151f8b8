package io.mortise.spring.boot;

import io.mortise.LockService;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/**
 * What a native image cannot see: the classes that the starter looks for by name, the field that it
 * reads, its proxy and its properties. Spring itself adds the endpoint's records.
 */
final class MortiseRuntimeHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.proxies().registerJdkProxy(LockService.class); // OpenedAtFirstUse
    BindableRuntimeHintsRegistrar.forTypes(MortiseProperties.class).registerHints(hints);
    ReflectionHints types = hints.reflection();
    for (String name :
        List.of(
            StoreChoice.REDIS_FACTORY,
            StoreChoice.VALKEY_FACTORY,
            StoreChoice.JEDIS_POOL,
            StoreChoice.JEDIS_BACKEND)) {
      types.registerTypeIfPresent(loader, name, type -> {});
    }
    types.registerTypeIfPresent(
        loader, LettuceStore.FACTORY, type -> type.withField(LettuceStore.CONFIGURATION));
  }
}

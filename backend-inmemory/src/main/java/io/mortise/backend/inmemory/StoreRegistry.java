package io.mortise.backend.inmemory;

import io.mortise.spi.LockBackend;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The named stores of this JVM. A store stays while a backend on it is open. The last close removes
 * it, and the name then stands for a new store. A store without a backend stays while the
 * application references it.
 */
final class StoreRegistry {
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Map<String, WeakReference<InMemoryStore>> KNOWN = new HashMap<>();
  private static final Map<InMemoryStore, Integer> OPEN = new HashMap<>();

  private StoreRegistry() {}

  static InMemoryStore named(String name) {
    LOCK.lock();
    try {
      InMemoryStore store = known(name);
      if (store == null) {
        store = InMemoryStore.ofName(name);
        KNOWN.put(name, new WeakReference<>(store));
      }
      return store;
    } finally {
      LOCK.unlock();
    }
  }

  /**
   * Opens a backend on the store of this name. Both steps run under one lock, so that no close
   * comes between them.
   */
  static LockBackend open(String name) {
    LOCK.lock();
    try {
      return named(name).backend();
    } finally {
      LOCK.unlock();
    }
  }

  static void opened(InMemoryStore store, String name) {
    LOCK.lock();
    try {
      InMemoryStore known = known(name);
      if (known != null && known != store) {
        throw new IllegalStateException(
            "the last backend on this store was closed, and "
                + store
                + " now stands for another one; ask InMemoryStore.named(\""
                + name
                + "\") for that");
      }
      KNOWN.put(name, new WeakReference<>(store));
      OPEN.merge(store, 1, Integer::sum);
    } finally {
      LOCK.unlock();
    }
  }

  static void closed(InMemoryStore store, String name) {
    LOCK.lock();
    try {
      if (OPEN.merge(store, -1, Integer::sum) == 0) {
        OPEN.remove(store);
        KNOWN.remove(name);
      }
    } finally {
      LOCK.unlock();
    }
  }

  private static @Nullable InMemoryStore known(String name) {
    KNOWN.values().removeIf(reference -> reference.get() == null);
    WeakReference<InMemoryStore> reference = KNOWN.get(name);
    return reference == null ? null : reference.get();
  }
}

package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.LockService;

/** What may be waited for, and what keeps it out. */
enum Wanted {
  PLAIN("") {
    @Override
    DistributedLock of(LockService service, String name) {
      return service.getLock(name);
    }
  },
  FAIR("") {
    @Override
    DistributedLock of(LockService service, String name) {
      return service.getFairLock(name);
    }
  },
  WRITE("rw:") {
    @Override
    DistributedLock of(LockService service, String name) {
      return service.getReadWriteLock(name).writeLock();
    }
  },
  READ("rw:") {
    @Override
    DistributedLock of(LockService service, String name) {
      return service.getReadWriteLock(name).readLock();
    }
  };

  private final String family;

  Wanted(String family) {
    this.family = family;
  }

  abstract DistributedLock of(LockService service, String name);

  /** What keeps it out. */
  DistributedLock against(LockService service, String name) {
    return (this == READ ? WRITE : this).of(service, name);
  }

  /** The line in which it waits. */
  String queue(String name) {
    return "mortise:" + family + "queue:{" + name + '}';
  }

  /** The name of a script of its kind. */
  String script(String step) {
    return family.replace(':', '-') + step;
  }
}

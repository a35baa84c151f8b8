package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.DistributedLock;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Pairs of locks for the tests of multi-locks, as one process has them. */
abstract class MultiFixture extends LockRules {
  static final Duration LONG = Duration.ofSeconds(30);

  MultiFixture(LockKit kit) {
    super(kit);
  }

  /** Two locks of two services of one process. */
  record Two(DistributedLock a, DistributedLock b) {
    MultiLock both() {
      return MultiLock.of(a, b);
    }

    boolean isAnyLocked() {
      return a.isLocked() || b.isLocked();
    }
  }

  Two two() {
    return new Two(lock(), service().getLock(nameB()));
  }

  /** Two locks of one name, under two key prefixes. */
  Two namesakes() {
    DistributedLock elsewhere =
        service(builder -> builder.keyPrefix("mortise:elsewhere:")).getLock(name);
    return new Two(lock(), elsewhere);
  }

  /** Two locks with a maximum: of the lock, and of the service. */
  List<MultiLock> limited() {
    LockService service = service(builder -> builder.maxHold(LONG));
    return List.of(
        two().both().withMaxHold(LONG),
        MultiLock.of(service.getLock(name), service.getLock(nameB())));
  }

  String nameB() {
    return name + "-b";
  }

  static Contender.Way locking(LeasedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  /** The names have one hash tag, so that a cluster takes them in one command too. */
  final String nameOf(int number) {
    return "{%s}-%04d".formatted(name, number);
  }

  final List<DistributedLock> locks(LockService service, int count) {
    return IntStream.range(0, count).mapToObj(i -> service.getLock(nameOf(i))).toList();
  }

  final void assertFree(int count) {
    assertEquals(List.of(), taken(count));
  }

  final List<String> taken(int count) {
    List<String> taken = new ArrayList<>();
    for (DistributedLock each : locks(service(), count)) {
      if (each.isLocked()) {
        taken.add(each.name());
      }
    }
    return taken;
  }

  final boolean isWaitedFor(int number) {
    return sizeOf("mortise:queue:" + nameOf(number)) == 1;
  }

  static Contender.Way lockingInterruptibly(LeasedLock lock) {
    return () -> {
      lock.lockInterruptibly();
      return true;
    };
  }
}

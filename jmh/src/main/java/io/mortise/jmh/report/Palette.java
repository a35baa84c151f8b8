package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import java.awt.Color;

/** One colour for each contestant, the same in all charts. Mortise has the strongest. */
final class Palette {
  private Palette() {}

  static Color of(Contestant contestant) {
    return new Color(
        switch (contestant) {
          case MORTISE_JEDIS -> 0x1f5f99;
          case MORTISE_JEDIS_RETAINING -> 0x0f3557;
          case MORTISE_LETTUCE -> 0x2f8f4e;
          case MORTISE_LETTUCE_RETAINING -> 0x16552b;
          case MORTISE_MEMORY -> 0x6b4a9c;
          case REDISSON -> 0xe09a95;
          case REDISSON_SEMAPHORE -> 0xeebfbb;
          case SPRING_SPIN -> 0xe6d6a8;
          case SPRING_PUBSUB -> 0xd6bf7c;
          case BARE_JEDIS -> 0xb4bec8;
          case BARE_LETTUCE -> 0xb8c8bc;
          case JDK -> 0xc9c9c9;
        });
  }
}

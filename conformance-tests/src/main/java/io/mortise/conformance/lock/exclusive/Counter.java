package io.mortise.conformance.lock.exclusive;

import java.util.concurrent.locks.LockSupport;

/** Reads, lets other threads run, writes. Two threads at the same time lose an update. */
final class Counter implements Runnable {
  private int value;

  @Override
  public void run() {
    int before = value;
    LockSupport.parkNanos(1); // invites other threads to overtake
    value = before + 1;
  }

  int value() {
    return value;
  }
}

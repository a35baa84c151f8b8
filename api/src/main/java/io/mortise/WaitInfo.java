package io.mortise;

import java.time.Duration;
import java.util.Optional;

/**
 * An attempt of this service that waits, at the moment of the question.
 *
 * @param name the lock's name
 * @param kind the kind of handle that waits
 * @param threadName the thread that waits for itself; empty for a {@link Lease} or a latch
 * @param waitingFor the time since the attempt began
 */
public record WaitInfo(String name, Kind kind, Optional<String> threadName, Duration waitingFor) {}

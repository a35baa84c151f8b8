package io.mortise.spi;

import java.time.Duration;

/**
 * What a call asks of the replicas of its server: the reply comes when so many of them have what
 * the script wrote, or when the wait is over.
 *
 * @param replicas how many replicas are enough, at least 1
 * @param timeout how long to wait for them after the script, at least 1 ms
 */
public record ReplicaAcks(int replicas, Duration timeout) {}

package io.mortise.engine;

import io.mortise.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What became of a claim that neither failed nor was withdrawn.
 *
 * @param lease what was acquired; null if nothing
 * @param heldBy who had the lock, if that was why; null if the time to wait was over
 */
public record Claimed(@Nullable Lease lease, @Nullable String heldBy) {}

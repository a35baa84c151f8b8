package io.mortise.internal.engine;

import io.mortise.LossCause;

/**
 * Why a hold was lost.
 *
 * @param cause for programs
 * @param reason what the service saw, for people
 */
public record Loss(LossCause cause, String reason) {}

package io.mortise.spi;

import java.time.Duration;
import java.util.List;

/**
 * One run of a script.
 *
 * @param script what to run: by {@code EVALSHA}, and when the server does not know it, the same
 *     call by {@code EVAL}
 * @param keys the keys it touches
 * @param args its further arguments
 * @param timeout the time within which the call returns, the wait for a connection included
 */
public record ScriptCall(Script script, List<String> keys, List<String> args, Duration timeout) {}

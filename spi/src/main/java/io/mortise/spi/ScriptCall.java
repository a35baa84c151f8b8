package io.mortise.spi;

import java.time.Duration;
import java.util.List;

/**
 * A call of a script.
 *
 * @param script the script; sent by {@code EVALSHA}, and again by {@code EVAL} if the server does
 *     not know it
 * @param keys the keys that the script touches
 * @param args the other arguments
 * @param timeout the time within which the call returns, including the wait for a connection
 */
public record ScriptCall(Script script, List<String> keys, List<String> args, Duration timeout) {}

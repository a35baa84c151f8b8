/**
 * Runs Mortise on one Redis server through Lettuce. Start at {@link
 * io.mortise.backend.lettuce.LettuceBackend}.
 */
@NullMarked
package io.mortise.backend.lettuce;

import org.jspecify.annotations.NullMarked;

/**
 * Finds the installed backends and chooses one. Start at {@link
 * io.mortise.discovery.InstalledProviders}. Not exported.
 */
@NullMarked
package io.mortise.internal.discovery;

import org.jspecify.annotations.NullMarked;

/**
 * Finds the installed backends and chooses one. Start at {@link
 * io.mortise.internal.discovery.InstalledProviders}.
 */
@NullMarked
package io.mortise.internal.discovery;

import org.jspecify.annotations.NullMarked;

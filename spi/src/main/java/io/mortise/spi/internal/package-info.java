/**
 * What the modules of Mortise share and is for no other code: how a message shows a name. Start at
 * {@link io.mortise.spi.internal.Shown}.
 */
@NullMarked
package io.mortise.spi.internal;

import org.jspecify.annotations.NullMarked;

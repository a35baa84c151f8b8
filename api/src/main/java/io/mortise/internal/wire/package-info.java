/** What is said to the store: keys, ids, terms and scripts. No threads and no state. */
@NullMarked
package io.mortise.internal.wire;

import org.jspecify.annotations.NullMarked;

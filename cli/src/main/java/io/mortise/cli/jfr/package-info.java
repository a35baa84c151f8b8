/**
 * What flight recordings of several processes say of locks. Start at {@link
 * io.mortise.cli.jfr.Recordings}, which reads the files. {@link io.mortise.cli.jfr.Timeline} brings
 * all to the server's clock. {@link io.mortise.cli.jfr.Story} and {@link
 * io.mortise.cli.jfr.Contention} are made of that. No store is asked. Times are nanoseconds since
 * 1970. Nothing here is thread-safe.
 */
@NullMarked
package io.mortise.cli.jfr;

import org.jspecify.annotations.NullMarked;

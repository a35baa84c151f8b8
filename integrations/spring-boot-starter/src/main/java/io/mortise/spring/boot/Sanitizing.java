package io.mortise.spring.boot;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Decides which values a caller of the endpoint sees, and hides the others. */
record Sanitizing(Sanitizer sanitizer, Show show, Set<String> roles) {
  /** Values of one lock, for one caller. The functions of the application see the lock's name. */
  interface Values {
    /** The value, or asterisks in its place. */
    @Nullable Object of(@Nullable Object value);
  }

  Values values(SecurityContext caller, String name) {
    boolean shown = show.isShown(caller, roles);
    return value -> sanitizer.sanitize(new SanitizableData(null, name, value), shown);
  }
}

package io.mortise.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks tests whose outcome depends on the server's version: scripts, permissions, opening, faults,
 * each kind of lock once, clusters and sentinels. A build runs these alone on another server by
 * {@code -Dmortise.server=FOLDER -Dgroups=server}. Without {@code groups} it runs everything there.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("server")
public @interface OnEachServer {}

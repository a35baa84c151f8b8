package io.mortise.spring.boot;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the endpoint {@code locks}, as Boot's own endpoints have them.
 *
 * @param showValues When to show who holds a lock and who waits: ids, hosts, processes and threads.
 *     Lock names are always shown.
 * @param roles The roles that may see who holds and waits with when-authorized. If none is given,
 *     every authenticated user may.
 */
@ConfigurationProperties("management.endpoint.locks")
@SuppressWarnings("exports") // Spring alone calls it
public record LocksEndpointProperties(
    @DefaultValue("never") Show showValues, @DefaultValue Set<String> roles) {}

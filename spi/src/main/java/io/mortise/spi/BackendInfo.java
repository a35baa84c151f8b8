package io.mortise.spi;

/**
 * The facts about a store that were read when its backend was opened.
 *
 * @param endpoint the store's address in messages, without a secret
 * @param serverVersion the version that the server reports, such as {@code "7.0.15"}
 * @param publishCounts whether {@code PUBLISH} in a script replies with the number of all
 *     subscribers, as a single server does and a cluster does not
 * @param anyKeys whether one call may use keys of several hash slots
 */
public record BackendInfo(
    String endpoint, String serverVersion, boolean publishCounts, boolean anyKeys) {}

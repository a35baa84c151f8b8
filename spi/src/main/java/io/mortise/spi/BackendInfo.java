package io.mortise.spi;

/**
 * Facts about a store, read when its backend was opened.
 *
 * @param endpoint where the store is, for messages; without a secret
 * @param serverVersion as the server tells it, {@code "7.0.15"}
 * @param publishCounts whether {@code PUBLISH} inside a script answers the number of all
 *     subscribers, as one server does and a cluster does not
 * @param anyKeys whether one call may name keys of any hash slot
 */
public record BackendInfo(
    String endpoint, String serverVersion, boolean publishCounts, boolean anyKeys) {}

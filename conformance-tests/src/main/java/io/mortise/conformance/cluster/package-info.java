/**
 * The rules of locks on a Redis Cluster while slots move and nodes fail. Start at {@link
 * io.mortise.conformance.cluster.ClusterFaultConformance}.
 */
@NullMarked
package io.mortise.conformance.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * A backend of a Redis Cluster, made of a backend for each node. Start at {@link
 * io.mortise.backend.support.cluster.ClusterRouter}.
 */
@NullMarked
package io.mortise.backend.support.cluster;

import org.jspecify.annotations.NullMarked;

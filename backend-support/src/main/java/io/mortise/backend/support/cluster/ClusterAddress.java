package io.mortise.backend.support.cluster;

import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.UriFault;
import io.mortise.backend.support.UriParts;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The address of a cluster, as given by a URI: {@code
 * redis-cluster://[[user]:password@]host[:port][,host[:port]]…[/database]}. With {@code
 * rediss-cluster} all nodes use TLS. User, password and database are for all nodes. A cluster has
 * databases from Valkey 9 on, if its setting {@code cluster-databases} says so.
 *
 * @param seeds the nodes that the URI names, at least one
 */
public record ClusterAddress(List<RedisAddress> seeds) {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:redis|valkey)(?<tls>s?)-cluster://(?<user>[^@/?#]*@)?(?<nodes>[^@/?#,]+(,[^@/?#,]+)*)(?<database>/\\d{0,5})?",
          Pattern.CASE_INSENSITIVE);

  private static final String FORM_IN_WORDS =
      "redis[s]-cluster://[[user]:password@]host[:port][,host[:port]]…[/database]";

  /**
   * Reads a URI. The message of a refusal quotes no part of it, because a secret that is not
   * encoded may end up in any part.
   *
   * @param uri of the form above
   * @return the seeds, with user and password decoded
   * @throws IllegalArgumentException the URI has another form
   */
  public static ClusterAddress of(URI uri) {
    UriParts parts = UriParts.of(uri, FORM, FORM_IN_WORDS);
    String before = "redis" + parts.text("tls") + "://" + parts.text("user");
    return new ClusterAddress(
        Stream.of(parts.text("nodes").split(",", -1))
            .map(node -> seed(uri, before + node + parts.text("database")))
            .toList());
  }

  private static RedisAddress seed(URI uri, String node) {
    try {
      return RedisAddress.of(URI.create(node));
    } catch (IllegalArgumentException e) { // whose message may show the node's URI
      throw UriFault.in(uri, FORM_IN_WORDS);
    }
  }

  /**
   * The nodes that the URI names.
   *
   * @return {@code host:port} of each
   */
  public List<String> places() {
    return seeds.stream().map(seed -> seed.host() + ':' + seed.port()).toList();
  }

  /**
   * The settings of a node: those of the URI, with the node's own place.
   *
   * @param place {@code host:port}, as the cluster names the node
   * @return the node's address
   */
  public RedisAddress at(String place) {
    return seeds.get(0).at(place);
  }

  /** The URI without user and password. */
  @Override
  public String toString() {
    String scheme = seeds.get(0).tls() ? "rediss-cluster://" : "redis-cluster://";
    int database = seeds.get(0).database();
    return scheme + String.join(",", places()) + (database == 0 ? "" : "/" + database);
  }
}

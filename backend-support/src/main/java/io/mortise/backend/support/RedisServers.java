package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.Topology;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that locks are safe on a Redis server, and builds the messages for servers that fail. */
public final class RedisServers {
  /** The server answers but is of the wrong kind. The message needs no further advice. */
  private static final class Unfit extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unfit(String message) {
      super(message);
    }
  }

  /** What helps if nothing is at an address. */
  static final String NO_ROUTE =
      "check that this machine reaches that address; if a cluster or sentinels named it, let them"
          + " name one that it reaches (cluster-announce-ip, replica-announce-ip)";

  private static final String CERTIFICATE = ": tls.cert and tls.key, or tls.keystore";

  private static final String ENDED =
      "the server ended the connection: check that it is a Redis server, TLS (rediss), and"
          + " whether it wants a client certificate that it trusts"
          + CERTIFICATE;

  private RedisServers() {}

  /** What helps against an error, by its text. The first that fits counts. */
  private static final Map<Pattern, String> ADVICE = new LinkedHashMap<>();

  static {
    advise(
        "NOPERM\\b.*\\baccess database\\b.*",
        "allow the user this database (db=… or alldbs), or choose another after the last slash");
    advise(
        "(WRONGPASS|NOAUTH|NOPERM|ERR AUTH)\\b.*",
        "check user and password, and what the server's ACL allows that user");
    advise(
        "(ERR unknown command\\b.*\\bHELLO\\b|NOPROTO\\b).*",
        "it is older than 6.0, or a service that hides HELLO; 6.2 or later is needed, and HELLO for"
            + " clusters and sentinels");
    advise(
        "ERR max number of clients.*",
        "close connections that are not needed (CLIENT LIST), or raise maxclients");
    advise(
        "no node of this cluster has a slot.*",
        "give slots to its nodes first (redis-cli --cluster create)");
    advise("LOADING.*", "open again when the server has loaded its data");
    advise(
        "(?i)connection refused\\b.*",
        "check host and port, and that the server runs and listens at that address");
    advise("(?i)connect(ion)? timed out\\b.*", NO_ROUTE);
    advise(
        "ERR SELECT is not allowed in cluster mode.*",
        "this cluster has only database 0: leave out the number after the last slash");
    advise("ERR .*\\bDB index\\b.*", "check the database, the number after the last slash");
    advise(
        ".*\\balert: (certificate|bad_certificate|unknown_ca).*",
        "the server wants a client certificate that it trusts" + CERTIFICATE);
    advise("(?i)(connection closed prematurely|unexpected end of stream)\\b.*", ENDED);
  }

  private static void advise(String error, String step) {
    ADVICE.put(Pattern.compile("(?s)" + error), "; " + step);
  }

  /**
   * Checks a server by its reply to {@code HELLO}, a command that no ACL forbids, or by {@link
   * #facts}.
   *
   * @param endpoint the server's address, without a secret
   * @param hello the reply: {@code version}, {@code mode}, {@code role} and more
   * @return facts about a single master of version 6.2 or later
   * @throws IllegalArgumentException the server is something else; the message says what
   */
  public static BackendInfo usable(String endpoint, Map<String, ?> hello) {
    boolean fits = "standalone".equals(hello.get("mode")) && "master".equals(hello.get("role"));
    return new BackendInfo(endpoint, recent(hello, fits, "a standalone master"), true, true);
  }

  private static String otherUri(Map<String, ?> hello) {
    return switch (String.valueOf(hello.get("mode"))) {
      case "cluster" -> "redis-cluster://host:port for a cluster";
      case "sentinel" -> "redis-sentinel://host:26379#mymaster for the master that sentinels name";
      default -> "redis://host:port for a single server, with the address of the master";
    };
  }

  /** Mode and role; a sentinel has no role. */
  private static String kind(Map<String, ?> hello) {
    return Stream.of("mode", "role")
        .filter(hello::containsKey)
        .map(key -> String.valueOf(hello.get(key)))
        .collect(Collectors.joining(" "));
  }

  /**
   * Checks a node of a cluster by its reply to {@code HELLO}.
   *
   * @param endpoint the node's address, without a secret
   * @param hello the reply: {@code version}, {@code mode} and more
   * @return facts about a node of version 6.2 or later, master or replica
   * @throws IllegalArgumentException the server is something else; the message says what
   */
  public static BackendInfo usableInCluster(String endpoint, Map<String, ?> hello) {
    String version = recent(hello, "cluster".equals(hello.get("mode")), "a node of a cluster");
    return new BackendInfo(endpoint, version, false, false, Topology.CLUSTER, null);
  }

  /**
   * Checks a sentinel by its reply to {@code HELLO}.
   *
   * @param endpoint the sentinel's address, without a secret
   * @param hello the reply: {@code version}, {@code mode} and more
   * @return facts about a sentinel of version 6.2 or later
   * @throws IllegalArgumentException the server is something else; the message says what
   */
  public static BackendInfo usableSentinel(String endpoint, Map<String, ?> hello) {
    String version = recent(hello, "sentinel".equals(hello.get("mode")), "a sentinel");
    return new BackendInfo(endpoint, version, true, true, Topology.SENTINEL, null);
  }

  /**
   * Whether a server refused {@code HELLO} because it does not know it, or knows only the older
   * protocol. Some managed services do, at any version.
   *
   * @param failure from connecting, or the server's error
   * @return true if the server can be asked by {@link #facts} in place of it
   */
  public static boolean isWithoutHello(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(each -> String.valueOf(each.getMessage()))
        .anyMatch(text -> text.matches("(?is)NOPROTO\\b.*|ERR unknown command.*\\bHELLO\\b.*"));
  }

  /**
   * Reads from the reply to {@code INFO} what the reply to {@code HELLO} would say.
   *
   * @param info all sections, or at least those of the server and of replication
   * @return {@code version}, {@code mode} and {@code role}
   */
  public static Map<String, String> facts(String info) {
    Map<String, String> lines =
        info.lines()
            .map(line -> line.split(":", 2))
            .filter(parts -> parts.length == 2)
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a));
    String role = lines.getOrDefault("role", "unknown");
    return Map.of(
        "version", either(lines, "valkey_version", "redis_version"),
        "mode", either(lines, "server_mode", "redis_mode"),
        "role", role.equals("slave") ? "replica" : role);
  }

  /** The line of Valkey, or else that of Redis. Valkey may have both. */
  private static String either(Map<String, String> lines, String valkey, String redis) {
    return lines.getOrDefault(valkey, lines.getOrDefault(redis, "unknown"));
  }

  /**
   * The server's version.
   *
   * @param fits whether it is what is needed; another URI does not help against an old one
   */
  private static String recent(Map<String, ?> hello, boolean fits, String needed) {
    String version = String.valueOf(hello.get("version"));
    if (version.matches("([0-5]|6\\.[01])(\\..*)?")) {
      throw new Unfit(
          "it is a %s of version %s, and 6.2 or later is needed; upgrade it, or use a newer server"
              .formatted(kind(hello), version));
    }
    if (!fits) {
      throw new Unfit(
          "it is a %s of version %s; %s is needed; write %s"
              .formatted(kind(hello), version, needed, otherUri(hello)));
    }
    return version;
  }

  /**
   * Checks that a server listens, with a connection that sends nothing. For clients that take
   * seconds to load: the most common failure is then reported before.
   *
   * @param address the server's address
   * @param timeout how long to wait for each of the host's IP addresses
   * @throws BackendException all IP addresses refused the connection; the client has to find other
   *     failures
   */
  public static void knock(RedisAddress address, Duration timeout) {
    ConnectException refusal = null;
    try {
      for (InetAddress each : InetAddress.getAllByName(address.host())) {
        try (Socket door = new Socket()) {
          door.connect(
              new InetSocketAddress(each, address.port()), Math.toIntExact(timeout.toMillis()));
          return;
        } catch (ConnectException e) {
          refusal = e;
        }
      }
    } catch (IOException e) {
      return;
    }
    if (refusal != null) {
      throw refusal(address.toString(), refusal);
    }
  }

  /**
   * Opens a backend, and closes everything again on failure.
   *
   * @param <B> the type of the backend
   * @param endpoint the server's address, without a secret
   * @param opening connects and checks
   * @param atFailure closes everything that {@code opening} may have opened
   * @return the result of {@code opening}
   * @throws BackendException the server cannot be reached or is refused
   */
  public static <B> B open(String endpoint, Supplier<B> opening, Runnable atFailure) {
    try {
      return opening.get();
    } catch (RuntimeException e) {
      atFailure.run();
      throw refusal(endpoint, e);
    } catch (LinkageError e) {
      atFailure.run();
      throw e;
    }
  }

  /**
   * The exception to throw when a server cannot be used.
   *
   * @param endpoint the server's address, without a secret
   * @param failure from connecting or from {@link #usable}; the message quotes its innermost cause,
   *     or the one that says that a host is unknown or that there are no credentials
   * @return an exception that names the next step, as far as the failure shows it
   */
  public static BackendException refusal(String endpoint, Throwable failure) {
    Throwable reason =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .reduce(failure, (outer, inner) -> isReason(outer) ? outer : inner);
    String message = endpoint + " cannot be used: " + reason.getMessage() + advice(reason);
    return new BackendException(Outcome.NOT_EXECUTED, message, failure);
  }

  /** Whether the causes of an exception say less than itself. */
  private static boolean isReason(Throwable failure) {
    return failure instanceof UnknownHostException || failure instanceof CredentialFault;
  }

  private static String advice(Throwable reason) {
    String message = String.valueOf(reason.getMessage());
    if (reason instanceof Unfit || reason instanceof CredentialFault) {
      return "";
    }
    if (reason instanceof UnknownHostException) {
      return (message.contains(" ") ? "" : " is no known host") + "; check the host's name";
    }
    if (reason instanceof NoRouteToHostException) {
      return "; " + NO_ROUTE;
    }
    if (reason instanceof GeneralSecurityException) {
      return adviceOnCertificate(reason);
    }
    return ADVICE.entrySet().stream()
        .filter(each -> each.getKey().matcher(message).matches())
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(
            "; "
                + (isEnd(reason)
                    ? ENDED
                    : "check host, port, TLS (rediss), user, password and database"));
  }

  private static boolean isEnd(Throwable reason) {
    return reason instanceof SocketException && !(reason instanceof ConnectException);
  }

  /** The client has found the server's certificate to be unfit. */
  private static String adviceOnCertificate(Throwable reason) {
    if (reason instanceof CertificateExpiredException
        || reason instanceof CertificateNotYetValidException) {
      return "; the server's certificate is not valid now";
    }
    if (reason instanceof CertificateException) {
      return "; the server's certificate must name the host by which it is reached";
    }
    return "; the server's certificate is not trusted: see tls.ca, tls.truststore, or the trust"
        + " store of the JVM";
  }
}

package io.mortise.backend.support;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says which part of a URI is wrong. A message names the part and quotes nothing of it, because a
 * secret that is not encoded may end up in any part.
 */
public final class UriFault {
  private static final int HIGHEST_PORT = 65_535;

  private static final Pattern PLACE =
      Pattern.compile("(?:\\[[^]]+]|[^\\[\\]:]+)(?<port>:.*)?", Pattern.DOTALL);

  private UriFault() {}

  /**
   * The refusal of a URI.
   *
   * @param uri of another form
   * @param form the form that it must have
   * @return an exception that names the first part that is wrong, and the form
   */
  public static IllegalArgumentException in(URI uri, String form) {
    return new IllegalArgumentException(
        "%s; the URI must read %s, with user and password percent-encoded and ports in 1 to %d"
            .formatted(fault(uri.toString()), form, HIGHEST_PORT));
  }

  private static String fault(String uri) {
    String scheme = uri.substring(0, uri.indexOf(':')).toLowerCase(Locale.ROOT);
    String rest = uri.substring(scheme.length() + 1);
    if (!rest.startsWith("//")) {
      return "there is no // after the scheme";
    }
    Matcher parts = Pattern.compile("(?s)//([^/?#]*)(.*)").matcher(rest);
    boolean unused = parts.matches();
    String authority = parts.group(1);
    String tail = parts.group(2);
    if (tail.contains("@")) {
      return "user or password has a raw %c; write %%%02X"
          .formatted(tail.charAt(0), (int) tail.charAt(0));
    }
    int at = authority.indexOf('@');
    if (at != authority.lastIndexOf('@')) {
      return "user or password has a raw @; write %40";
    }
    if (at >= 0 && !authority.substring(0, at).contains(":")) {
      return "there is no : before the @; write user:password@, or :password@";
    }
    if (at > 0 && authority.charAt(at - 1) == ':') {
      return "the password is empty; leave out all up to the @, or write it";
    }
    String places = faultOfPlaces(authority.substring(at + 1), scheme);
    return places.isEmpty() ? faultOfTail(tail, scheme) : places;
  }

  private static String faultOfPlaces(String places, String scheme) {
    boolean several = scheme.endsWith("-cluster") || scheme.endsWith("-sentinel");
    if (!several && places.contains(",")) {
      return "a list of hosts needs the scheme redis-cluster or redis-sentinel";
    }
    for (String place : places.split(",", -1)) {
      Matcher parts = PLACE.matcher(place);
      if (!parts.matches()) {
        return "a host is missing, or is none";
      }
      String port = parts.group("port");
      if (port != null && !isPort(port.substring(1))) {
        return "a port is no number in 1 to " + HIGHEST_PORT;
      }
    }
    return "";
  }

  private static boolean isPort(String port) {
    int number = port.matches("\\d{1,5}") ? Integer.parseInt(port) : 0;
    return number > 0 && number <= HIGHEST_PORT;
  }

  private static String faultOfTail(String tail, String scheme) {
    boolean sentinel = scheme.endsWith("-sentinel");
    String path = tail.replaceFirst("(?s)[?#].*", "");
    if (!path.matches("(/\\d{0,5})?")) {
      return "the path, after the host, is no number of a database";
    }
    if (tail.startsWith("?", path.length())) {
      return sentinel
          ? "after ? only sentinelMasterId=name may follow; other settings are properties"
          : "no parameters may follow after ?; settings are properties";
    }
    if (tail.startsWith("#", path.length())) {
      return sentinel
          ? "the name of the master, after #, has a raw character that must be percent-encoded"
          : "only a URI of sentinels has a #, before the name of the master";
    }
    return "it has another form";
  }
}

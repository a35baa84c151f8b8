package io.mortise.internal.discovery;

import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of providers in the files that {@link java.util.ServiceLoader} reads. They are read
 * again only after an error that does not name its provider: in newer JDKs the error of a missing
 * class comes as it is.
 */
final class Registrations {
  private static final String FILE = "META-INF/services/" + LockBackendProvider.class.getName();

  private Registrations() {}

  /**
   * The first registered provider whose constructors cannot be read.
   *
   * @param known names that are not looked at
   * @return null if there is none, or the files cannot be read
   */
  static @Nullable Class<?> firstBroken(@Nullable ClassLoader loader, List<String> known) {
    try {
      for (String name : names(loader)) {
        Class<?> type = known.contains(name) ? null : Candidate.find(name, loader);
        if (type != null && isBroken(type)) {
          return type;
        }
      }
    } catch (IOException e) {
      // The error that is reported anyway tells more than this one.
    }
    return null;
  }

  private static boolean isBroken(Class<?> type) {
    try {
      Object unused = type.getConstructors(); // reads the types of their parameters
      return false;
    } catch (LinkageError e) {
      return true;
    }
  }

  private static List<String> names(@Nullable ClassLoader loader) throws IOException {
    List<String> names = new ArrayList<>();
    var files = loader == null ? ClassLoader.getSystemResources(FILE) : loader.getResources(FILE);
    for (URL file : Collections.list(files)) {
      try (InputStream bytes = file.openStream()) {
        String text = new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        text.lines().map(line -> line.replaceFirst("#.*", "").strip()).forEach(names::add);
      }
    }
    return names;
  }
}

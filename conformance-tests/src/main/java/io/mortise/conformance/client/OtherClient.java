package io.mortise.conformance.client;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a test class on another version of the client. The class path is the same except for the
 * client's jar.
 */
public final class OtherClient {
  private OtherClient() {}

  /**
   * Runs the scenario in a class loader of its own. It shares no class with the caller.
   *
   * @param jar the client
   * @param scenario a class with a constructor without arguments, visible at least in its package
   */
  public static void run(ClientJar jar, Class<? extends Runnable> scenario) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader other = loader(jar);
    thread.setContextClassLoader(other);
    try {
      Class<?> same = Class.forName(scenario.getName(), true, other);
      var constructor = same.getDeclaredConstructor();
      constructor.setAccessible(true);
      ((Runnable) constructor.newInstance()).run();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(scenario + " on " + jar, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The loader stays open, because threads that end later may still need a class. */
  private static ClassLoader loader(ClientJar jar) {
    List<URL> places = new ArrayList<>(List.of(url(jar.file())));
    int others = 0;
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(place);
      if (path.getFileName() == null || !ClientJar.isVersionOf(jar.artifact(), path)) {
        places.add(url(path));
        others++;
      }
    }
    if (others == places.size()) {
      throw new IllegalStateException("no version of the client is on the class path");
    }
    return new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path.toString(), e);
    }
  }
}

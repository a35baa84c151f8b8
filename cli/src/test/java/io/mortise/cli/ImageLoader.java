package io.mortise.cli;

import java.io.File;
import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loads the tests' class path once more, with what a native image would have of it. A resource of
 * Mortise is there only if the metadata names it. The same is true of a class of Mortise that the
 * application asks for by its name. Providers of services are in every image.
 */
final class ImageLoader extends URLClassLoader {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final ImageMetadata metadata;

  ImageLoader(ImageMetadata metadata) {
    super(classPath(), getPlatformClassLoader());
    this.metadata = metadata;
  }

  private static URL[] classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(place -> url(Path.of(place)))
        .toArray(URL[]::new);
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path.toString(), e);
    }
  }

  /** Runs a class that has a constructor without arguments, loaded here. */
  void run(Class<? extends Runnable> scenario) throws ReflectiveOperationException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(this);
    try {
      var constructor = loadClass(scenario.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      ((Runnable) constructor.newInstance()).run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public @Nullable URL findResource(String name) {
    return isThere(name) ? super.findResource(name) : null;
  }

  @Override
  public Enumeration<URL> findResources(String name) throws IOException {
    return isThere(name) ? super.findResources(name) : Collections.emptyEnumeration();
  }

  private boolean isThere(String resource) {
    return !resource.startsWith("io/mortise/") || metadata.hasResource(resource);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith("io.mortise.") && isAskedByName() && !metadata.types().contains(name)) {
      throw new ClassNotFoundException(name + " is asked for by name, and no metadata names it");
    }
    return super.loadClass(name, resolve);
  }

  /** Whether the application asks by {@link Class#forName}, and not the JVM, to link a class. */
  private boolean isAskedByName() {
    List<StackFrame> callers =
        STACK.walk(frames ->
            frames
                .dropWhile(each -> ClassLoader.class.isAssignableFrom(each.getDeclaringClass()))
                .limit(6)
                .toList());
    boolean byName =
        callers.get(0).getDeclaringClass() == Class.class
            && callers.get(0).getMethodName().startsWith("forName");
    return byName
        && callers.stream()
            .map(StackFrame::getDeclaringClass)
            .filter(each -> each != Class.class)
            .findFirst()
            .filter(each -> each.getClassLoader() == this)
            .isPresent();
  }
}

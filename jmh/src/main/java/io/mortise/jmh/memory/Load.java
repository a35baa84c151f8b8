package io.mortise.jmh.memory;

/** Objects of one kind, which a probe brings into being to see what they cost. */
interface Load extends AutoCloseable {
  /**
   * Brings into being what is not measured: threads, services, the locks of other holders. Uses all
   * of it once, so that classes, scripts and connections are there.
   */
  void prepare() throws Exception;

  /** Brings the measured objects into being, or uses them once. */
  void fill() throws Exception;

  /**
   * Checks that the objects are still there.
   *
   * @throws IllegalStateException they are not, so that nothing was measured
   */
  void check();

  /** Ends services and threads. */
  @Override
  void close();
}

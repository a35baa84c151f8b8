package io.mortise.conformance;

/** A test class of one backend, or a class that encloses such tests. */
public interface BackendUnderTest {
  /**
   * The backend's name in the report.
   *
   * @return lower-case, fit for a file name
   */
  String backendName();
}

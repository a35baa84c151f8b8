package io.mortise.conformance;

/** A test class, or one that encloses it, that tests one kind of backend. */
public interface BackendUnderTest {
  /**
   * What the report calls the backend.
   *
   * @return lower-case, fit for a file's name
   */
  String backendName();
}

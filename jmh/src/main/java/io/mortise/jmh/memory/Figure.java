package io.mortise.jmh.memory;

/** What is measured of a subject. */
enum Figure {
  /** Bytes of heap. */
  HEAP("heap, bytes"),
  /** Bytes of buffers outside the heap. */
  DIRECT("direct buffers, bytes"),
  /** Bytes in the server, without its connections. */
  STORE("store, bytes"),
  /** Bytes of connections in the server. */
  CLIENTS("connections in the server, bytes"),
  /** Threads in the client's JVM. */
  THREADS("threads"),
  /** Connections to the server. */
  CONNECTIONS("connections"),
  /** Keys in the server. */
  KEYS("keys"),
  /** Bytes of heap some time later. */
  HEAP_LATER("heap a minute later, bytes"),
  /** Bytes in the server some time later. */
  STORE_LATER("store a minute later, bytes"),
  /** Keys in the server some time later. */
  KEYS_LATER("keys a minute later"),
  /** Scripts per second that the service sent. */
  SCRIPTS("scripts per second"),
  /** Commands per second that the server ran, those inside scripts too. */
  COMMANDS("commands per second"),
  /** Locks that were lost. */
  LOST("lost locks");

  private final String title;

  Figure(String title) {
    this.title = title;
  }

  /** The head of its column. */
  String title() {
    return title;
  }
}

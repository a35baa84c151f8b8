/** The {@code mortise} command. */
module io.mortise.cli {
  requires static transitive org.jspecify;
  requires info.picocli;
  requires io.mortise.api;
  requires io.mortise.backend.support;
  requires io.mortise.spi;
  requires jdk.httpserver;
  requires jdk.jfr;
  requires jdk.unsupported; // Signals, by name

  exports io.mortise.cli;

  opens io.mortise.cli to
      info.picocli;

  uses io.mortise.spi.LockBackendProvider;
}

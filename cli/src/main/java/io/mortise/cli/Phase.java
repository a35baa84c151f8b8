package io.mortise.cli;

/** The two runs of the demo. */
enum Phase {
  WITHOUT("without a lock"),
  WITH("with Mortise");

  private final String title;

  Phase(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}

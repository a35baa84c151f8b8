package io.mortise.jmh.rival;

/** The result of one party in one case. */
record Finding(Verdict verdict, String text) {
  /** Whether the result is what the case asks for. */
  enum Verdict {
    /** The result that the case asks for. */
    FINE("ok: "),
    /** Another result. */
    DEFECT("**defect**: "),
    /** A figure, without right or wrong. */
    FIGURE(""),
    /** The run itself failed. */
    UNKNOWN("not measured: ");

    private final String mark;

    Verdict(String mark) {
      this.mark = mark;
    }
  }

  static Finding of(boolean fine, String text) {
    return new Finding(fine ? Verdict.FINE : Verdict.DEFECT, text);
  }

  static Finding figure(String text) {
    return new Finding(Verdict.FIGURE, text);
  }

  static Finding unknown(String reason) {
    return new Finding(Verdict.UNKNOWN, reason);
  }

  String marked() {
    return verdict.mark + text;
  }
}

package io.mortise.conformance.redis;

/** A server answered with an error; the message is that error as it came, its code first. */
public final class RespException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * An error reply.
   *
   * @param reply the server's words
   */
  public RespException(String reply) {
    super(reply);
  }
}

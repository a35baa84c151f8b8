package io.mortise.conformance.redis;

/** An error reply of a server. The message is the error as it came, with its code first. */
public final class RespException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * An error reply.
   *
   * @param reply the server's text
   */
  public RespException(String reply) {
    super(reply);
  }
}

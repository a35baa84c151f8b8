package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.ReauthenticateBehavior;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.mortise.backend.support.Causes;
import io.mortise.backend.support.ChangingCredentials;
import io.mortise.spi.Credentials;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Asks for credentials that change. A URI that has it gets them for living connections too.
 *
 * @param source what living connections get
 * @param given asked for each new connection; null if that is the source too, which then does not
 *     hold up the I/O thread
 */
record AskedCredentials(ChangingCredentials source, @Nullable RedisCredentialsProvider given)
    implements RedisCredentialsProvider {
  @Override
  public Mono<RedisCredentials> resolveCredentials() {
    return given == null
        ? Mono.fromFuture(source::ask)
            .map(answer ->
                RedisCredentials.just(answer.credentials().user(), answer.credentials().password()))
        : given.resolveCredentials();
  }

  /**
   * What a backend uses in place of the provider of an application's URI. If that may change its
   * answer, living connections get it, unless Lettuce sees to it.
   *
   * @param options those of the client
   * @return the same provider if there is nothing to do
   */
  static RedisCredentialsProvider of(RedisURI uri, ClientOptions options) {
    RedisCredentialsProvider provider = uri.getCredentialsProvider();
    boolean byLettuce =
        options.getReauthenticateBehaviour() == ReauthenticateBehavior.ON_NEW_CREDENTIALS;
    if (provider == null
        || provider instanceof StaticCredentialsProvider
        || (byLettuce && provider.supportsStreaming())) {
      return provider;
    }
    ChangingCredentials source =
        ChangingCredentials.ofClient(
            "the credentials provider of the URI", () -> answer(provider), uri.getTimeout());
    return new AskedCredentials(source, provider);
  }

  /** An empty password stands for none. */
  private static Credentials answer(RedisCredentialsProvider provider) {
    try {
      RedisCredentials given = provider.resolveCredentials().toFuture().get();
      return given == null || !given.hasPassword()
          ? Credentials.of("")
          : new Credentials(given.getUsername(), new String(given.getPassword()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the backend was closed meanwhile", e);
    } catch (ExecutionException e) {
      throw Causes.of(e) instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }
}

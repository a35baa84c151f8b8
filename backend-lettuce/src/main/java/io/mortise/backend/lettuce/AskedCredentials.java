package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.mortise.backend.support.ChangingCredentials;
import reactor.core.publisher.Mono;

/** Asks a supplier of credentials for each new connection, without holding up the I/O thread. */
record AskedCredentials(ChangingCredentials source) implements RedisCredentialsProvider {
  @Override
  public Mono<RedisCredentials> resolveCredentials() {
    return Mono.fromFuture(source::ask)
        .map(answer ->
            RedisCredentials.just(answer.credentials().user(), answer.credentials().password()));
  }
}

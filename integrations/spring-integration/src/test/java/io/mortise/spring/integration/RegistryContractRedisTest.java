package io.mortise.spring.integration;

import io.mortise.LockService;
import io.mortise.conformance.redis.RedisExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

class RegistryContractRedisTest extends RegistryContract {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  @Override
  LockService open() {
    return LockService.open(REDIS.server().uri().toString());
  }

  @AfterEach
  void forget() {
    REDIS.server().command("FLUSHALL"); // also what threads have kept to their end
  }
}

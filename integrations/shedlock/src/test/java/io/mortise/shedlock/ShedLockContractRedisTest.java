package io.mortise.shedlock;

import io.mortise.LockService;
import io.mortise.conformance.redis.RedisExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShedLockContractRedisTest extends ShedLockContract {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  @Override
  LockService open() {
    return LockService.open(REDIS.server().uri().toString());
  }
}

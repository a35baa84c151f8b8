package io.mortise.spring.integration;

import io.mortise.LockService;
import java.util.UUID;

class RegistryContractInMemoryTest extends RegistryContract {
  private final String uri = "memory:" + UUID.randomUUID();

  @Override
  LockService open() {
    return LockService.open(uri);
  }
}

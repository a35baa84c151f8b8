package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.Linkage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every supported version of Lettuce has every member that the backend refers to. */
class LinkageTest {
  private static final Linkage LINKAGE =
      Linkage.of(Path.of("target/classes"), "io.lettuce.")
          .guarded(
              "OwnClient",
              "MaintNotificationsConfig",
              "only Lettuce 7 follows a server's maintenance notifications");

  static List<ClientJar> versions() {
    return ClientJar.in(Path.of("target/clients"), "lettuce-core");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyReferenceIsThere(ClientJar version) {
    assertEquals(List.of(), LINKAGE.missing(version));
  }

  @Test
  void everyGuardIsNeeded() {
    assertEquals(List.of(), LINKAGE.needlesslyGuarded(versions()));
  }
}

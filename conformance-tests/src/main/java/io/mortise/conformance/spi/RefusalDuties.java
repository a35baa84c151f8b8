package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RedisServer.Binary;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors of a server that runs no scripts now, or none that write. */
@OnEachServer
abstract class RefusalDuties extends FaultDuties {
  RefusalDuties(RedisBackendConformance suite) {
    super(suite);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: a server that was made a replica refuses; NOT_EXECUTED, with its words")
  void aDemotedServer(Binary binary) {
    try (RedisServer other = RedisServer.builder().binary(binary).start()) {
      LockBackend backend = open(other.uri());
      other.command("REPLICAOF", "127.0.0.1", "1");
      assertRefused(backend, "READONLY");
      other.command("REPLICAOF", "NO", "ONE");
      assertEquals("1", ranOnce(backend, other));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: a server without the replicas that it wants refuses; NOT_EXECUTED")
  void tooFewReplicas(Binary binary) {
    try (RedisServer other = RedisServer.builder().binary(binary).start()) {
      LockBackend backend = open(other.uri());
      other.command("CONFIG", "SET", "min-replicas-to-write", "1");
      assertRefused(backend, "NOREPLICAS");
      other.command("CONFIG", "SET", "min-replicas-to-write", "0");
      assertEquals("1", ranOnce(backend, other));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: a replica without its master and its data refuses; NOT_EXECUTED")
  void aReplicaWithoutItsMaster(Binary binary) {
    try (RedisServer other = RedisServer.builder().binary(binary).start()) {
      LockBackend backend = open(other.uri());
      other.command("CONFIG", "SET", "replica-serve-stale-data", "no");
      other.command("REPLICAOF", "127.0.0.1", "1");
      assertRefused(backend, "MASTERDOWN");
      other.command("REPLICAOF", "NO", "ONE");
      assertEquals("1", ranOnce(backend, other));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B1")
  @DisplayName("B1: a server that is busy with a long script refuses; NOT_EXECUTED")
  void aBusyServer(Binary binary) {
    try (RedisServer other = RedisServer.builder().binary(binary).start()) {
      LockBackend slow = open(other.uri());
      LockBackend backend = open(other.uri());
      other.command("CONFIG", "SET", "lua-time-limit", "20");
      var endless = slow.executeAsync(run("while true do end", List.of()));
      Await.until("the server is busy", () -> isBusy(backend));
      assertRefused(backend, "BUSY");
      other.command("SCRIPT", "KILL");
      assertThrows(BackendException.class, () -> Way.await(endless));
      assertEquals("1", ranOnce(backend, other));
    }
  }

  private boolean isBusy(LockBackend backend) {
    try {
      backend.execute(brief(echo("busy?")));
      return false;
    } catch (BackendException e) {
      return e.outcome() == Outcome.NOT_EXECUTED;
    }
  }

  private void assertRefused(LockBackend backend, String code) {
    for (Way way : Way.values()) {
      BackendException error =
          assertThrows(BackendException.class, () -> way.call(backend, increment(name("n"))));
      assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
      assertTrue(String.valueOf(error.getMessage()).contains(code), error::toString);
    }
  }

  private String ranOnce(LockBackend backend, RedisServer on) {
    Await.until("the server takes calls again", () -> works(backend));
    backend.execute(increment(name("n")));
    return String.valueOf(on.command("GET", name("n")));
  }
}

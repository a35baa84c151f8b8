package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerErrorTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NOSCRIPT No matching script. Please use EVAL. | UNKNOWN_SCRIPT",
        "MOVED 3999 127.0.0.1:6381 | MOVED",
        "ASK 3999 127.0.0.1:6381 | ASK",
        "TRYAGAIN Multiple keys request during rehashing of slot | TRY_AGAIN",
        "CLUSTERDOWN The cluster is down | UNFIT",
        "CLUSTERDOWN Hash slot not served | UNFIT",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. | UNFIT",
        "LOADING Redis is loading the dataset in memory | UNFIT",
        "READONLY You can't write against a read only replica. script: a1, on @user_script:3. | UNFIT",
        "NOREPLICAS Not enough good replicas to write. | UNFIT",
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL. | UNFIT",
        "ERR Error running script (call to f_a1): @user_script:1: @user_script: 1: -READONLY You can't write | UNFIT",
        "ERR Error running script (call to f_a1): @user_script:1: WRONGTYPE by a script's own hand | OTHER",
        "ERR Script attempted to access a non local key in a cluster node script: a1 | CUT_SHORT",
        "ERR Error running script (call to f_a1): @user_script:1: @user_script: 1: Script attempted to access a non local key in a cluster node | CUT_SHORT",
        "WRONGTYPE Operation against a key holding the wrong kind of value | OTHER",
        "CROSSSLOT Keys in request don't hash to the same slot | OTHER",
        "BUSYGROUP Consumer Group name already exists | OTHER",
        "OOM command not allowed when used memory > 'maxmemory'. | OTHER",
        "no code at all | OTHER",
        "'' | OTHER",
      })
  @DisplayName("B1: every error reply has one meaning")
  void meanings(String text, ServerError meaning) {
    assertEquals(meaning, ServerError.of(text));
  }

  @ParameterizedTest
  @CsvSource({
    "READONLY You can't write against a read only replica., true",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'., true",
    "LOADING Redis is loading the dataset in memory, false",
    "NOREPLICAS Not enough good replicas to write., false",
    "ERR unknown command, false",
  })
  @DisplayName("B23: a replica is known by its refusals, also while its own master is away")
  void replicas(String text, boolean isOfReplica) {
    assertEquals(isOfReplica, ServerError.isOfReplica(text));
  }

  @Test
  @DisplayName("B1: a refusal that ran nothing, a script cut short and any other error differ")
  void outcomes() {
    BackendException refusal = ServerError.failure("READONLY no", null);
    BackendException cut =
        ServerError.failure("ERR Script attempted to access a non local key", null);
    BackendException other = ServerError.failure("WRONGTYPE no", null);

    assertEquals(Outcome.NOT_EXECUTED, refusal.outcome());
    assertEquals("READONLY no", refusal.getMessage());
    assertEquals(Outcome.UNKNOWN, cut.outcome());
    assertEquals(Outcome.REPLIED, other.outcome());
    assertEquals("WRONGTYPE", other.code());
  }
}

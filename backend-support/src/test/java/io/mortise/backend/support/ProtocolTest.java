package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProtocolTest {
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  private String sent() {
    return sent.toString(StandardCharsets.UTF_8).replace("\r\n", " ");
  }

  @Test
  void aCallIsWrittenWordByWordWithTheSizesOfItsBytes() {
    Script script = Script.of("name", "return {'é'}");
    ScriptCall call =
        new ScriptCall(script, List.of("ключ"), List.of("", "a"), Duration.ofSeconds(1));
    Protocol.write(call, true, sent::writeBytes);
    assertEquals("*6 $4 EVAL $13 return {'é'} $1 1 $8 ключ $0  $1 a ", sent());
    sent.reset();
    Protocol.write(call, false, sent::writeBytes);
    assertEquals("*6 $7 EVALSHA $40 " + script.sha1() + " $1 1 $8 ключ $0  $1 a ", sent());
  }

  @Test
  void aPingIsOneWord() {
    Protocol.writePing(sent::writeBytes);
    assertEquals("*1 $4 PING ", sent());
  }
}

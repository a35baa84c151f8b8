package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.LockBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares every command with the answers of a real server, which are in the resource. */
@DisplayName("Commands answer as redis-server 7.0.15 does")
class CommandsTest {
  /** Distinguishes strings, statuses and errors, which a plain reply does not. */
  private static final String SCRIPT =
      """
      local r = redis.pcall(unpack(ARGV))
      if type(r) == 'table' and r.err then return {'-' .. r.err} end
      if type(r) == 'table' and r.ok then return {'+' .. r.ok} end
      if type(r) == 'string' then return {'$' .. r} end
      return {r}
      """;

  @TestFactory
  Stream<DynamicTest> everySectionOfTheCorpus() throws IOException {
    return sections().stream()
        .map(lines -> DynamicTest.dynamicTest(lines.get(0), () -> check(lines)));
  }

  private static List<List<String>> sections() throws IOException {
    List<List<String>> sections = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(CommandsTest.class.getResourceAsStream("/commands.txt")),
                StandardCharsets.UTF_8))) {
      for (String line : reader.lines().toList()) {
        if (line.startsWith("#")) {
          sections.add(new ArrayList<>(List.of(line)));
        } else if (!line.isBlank() && !line.startsWith(";")) {
          sections.get(sections.size() - 1).add(line);
        }
      }
    }
    return sections;
  }

  private static void check(List<String> section) {
    List<String> answered = new ArrayList<>(List.of(section.get(0)));
    try (LockBackend backend = InMemoryStore.create().backend()) {
      for (String line : section.subList(1, section.size())) {
        String command = line.substring(0, line.indexOf(" => "));
        answered.add(command + " => " + answer(backend, command));
      }
    }
    assertTrue(answered.size() > 5);
    assertEquals(String.join("\n", section), String.join("\n", answered));
  }

  private static String answer(LockBackend backend, String command) {
    String[] words =
        Arrays.stream(command.split(" ", -1))
            .map(word -> word.equals("''") ? "" : word)
            .toArray(String[]::new);
    List<Object> reply = Calls.eval(backend, SCRIPT, words);
    return show(reply.get(0));
  }

  private static String show(Object reply) {
    if (reply instanceof List<?> list) {
      return list.stream().map(CommandsTest::show).collect(Collectors.joining(", ", "[", "]"));
    }
    return reply == null ? "nil" : reply.toString();
  }

  @Test
  void theCorpusNamesEveryCommand() throws IOException {
    InMemoryStore store = InMemoryStore.create();
    try (LockBackend backend = store.backend()) {
      for (List<String> section : sections()) {
        section.stream()
            .skip(1)
            .forEach(line -> answer(backend, line.substring(0, line.indexOf(" => "))));
      }
    }
    assertEquals(
        List.of(
            "DECRBY",
            "DEL",
            "EXISTS",
            "GET",
            "HDEL",
            "HEXISTS",
            "HGET",
            "HGETALL",
            "HINCRBY",
            "HKEYS",
            "HLEN",
            "HSET",
            "INCR",
            "INCRBY",
            "PERSIST",
            "PEXPIRE",
            "PING",
            "PTTL",
            "PUBLISH",
            "SET",
            "TYPE",
            "ZADD",
            "ZCARD",
            "ZCOUNT",
            "ZMSCORE",
            "ZPOPMIN",
            "ZRANGE",
            "ZRANGEBYSCORE",
            "ZRANK",
            "ZREM",
            "ZREMRANGEBYSCORE",
            "ZSCORE"),
        List.copyOf(store.commandCounts().keySet()));
  }
}

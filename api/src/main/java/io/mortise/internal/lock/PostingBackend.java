package io.mortise.internal.lock;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backend on a service that shards PUBLISH, where a script may publish only to a channel of its
 * own slot. Here a script publishes nothing. Its reply has the messages, and this class sends each
 * of them by a script of one command. The channel is the key of that script, so the slot is right.
 * Thread-safe.
 *
 * <p>A message is sent by the service that ran the script, or never. It is lost if the process or
 * its link ends in between. That is a lost message like any other: each waiter asks every few
 * seconds.
 */
final class PostingBackend implements LockBackend {
  private static final Logger log = LoggerFactory.getLogger(PostingBackend.class);

  /** The first element of a reply that has messages. */
  private static final String POSTS = "POSTS";

  private static final Script POST =
      Script.of("post", "return redis.call('PUBLISH', KEYS[1], ARGV[1])");

  /** Stands before each script. It answers PUBLISH as if one service had heard the message. */
  private static final String COLLECTS =
      """
      local posts, server = {}, redis
      local redis = setmetatable({
        pcall = function(command, ...)
          if command ~= 'PUBLISH' then
            return server.pcall(command, ...)
          end
          local channel, message = ...
          posts[#posts + 1] = channel
          posts[#posts + 1] = message
          return 1
        end
      }, {__index = server})
      local function script()
      """;

  private static final String HANDS_BACK =
      """

      end
      local reply = script()
      return posts[1] and {'POSTS', reply, posts} or reply
      """;

  private final LockBackend inner;
  private final Duration timeout;
  private final Map<String, Script> collecting = new ConcurrentHashMap<>();

  /**
   * @param timeout of the command that sends a message
   */
  PostingBackend(LockBackend inner, Duration timeout) {
    this.inner = inner;
    this.timeout = timeout;
  }

  /** The backend that sends the messages, or the given one if it sends none. */
  static LockBackend inner(LockBackend backend) {
    return backend instanceof PostingBackend posting ? posting.inner : backend;
  }

  /**
   * Sends a message, to try whether the service allows that.
   *
   * @throws BackendException it does not, or it does not answer
   */
  void tryOut(String channel, String message) {
    List<Object> unused = inner.execute(post(channel, message));
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return sent(inner.execute(collected(call)));
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return inner.executeAsync(collected(call)).thenApply(this::sent);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    return inner.executeAll(calls.stream().map(this::collected).toList()).stream()
        .map(answer -> answer.thenApply(this::sent))
        .toList();
  }

  private ScriptCall collected(ScriptCall call) {
    Script script =
        collecting.computeIfAbsent(
            call.script().sha1(),
            digest ->
                Script.of(call.script().name(), COLLECTS + call.script().source() + HANDS_BACK));
    return new ScriptCall(
        script,
        call.keys(),
        call.args(),
        call.timeout(),
        call.acks(),
        call.wantsEpoch(),
        call.patience());
  }

  /** Sends the messages of a reply, and returns it without them. */
  private List<Object> sent(List<Object> reply) {
    if (!POSTS.equals(reply.get(0))) {
      return reply;
    }
    post((List<?>) reply.get(2));
    List<Object> own = new ArrayList<>();
    if (reply.get(1) instanceof List<?> several) {
      own.addAll(several);
    } else {
      own.add(reply.get(1));
    }
    own.addAll(
        reply.subList(3, reply.size())); // what the backend adds, such as a count of replicas
    return own;
  }

  private void post(List<?> posts) {
    List<ScriptCall> calls = new ArrayList<>();
    for (int i = 0; i < posts.size(); i += 2) {
      calls.add(post((String) posts.get(i), (String) posts.get(i + 1)));
    }
    try {
      for (CompletableFuture<?> answer : inner.executeAll(calls)) {
        CompletableFuture<?> unused =
            answer.exceptionally(failure -> {
              log.debug("{}: a message was lost", inner, failure);
              return null;
            });
      }
    } catch (BackendException e) {
      log.debug("{}: {} message(s) were lost", inner, calls.size(), e);
    }
  }

  private ScriptCall post(String channel, String message) {
    return new ScriptCall(POST, List.of(channel), List.of(message), timeout);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return inner.subscribeSharded(channel, listener);
  }

  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    return inner.subscribeSharded(channel, listener);
  }

  @Override
  public BackendInfo info() {
    BackendInfo info = inner.info();
    return new BackendInfo(
        info.endpoint(),
        info.serverVersion(),
        false,
        info.anyKeys(),
        info.topology(),
        info.downAfter());
  }

  @Override
  public TimeSource time() {
    return inner.time();
  }

  @Override
  public void close() {
    inner.close();
  }

  @Override
  public String toString() {
    return inner + ", which shards PUBLISH, so the service sends its messages itself";
  }
}

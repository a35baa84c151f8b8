package io.mortise.conformance.spi;

import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Ways to violate a duty, each with the test that must notice it. */
enum Defect {
  LOSES_THE_INTERRUPT(BackendConformance.Calls.class, "anInterruptedThreadGetsItsReply") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          Thread.interrupted();
          return super.execute(call);
        }
      };
    }
  },
  FAILS_WHEN_INTERRUPTED(BackendConformance.Calls.class, "anInterruptDuringACallIsKept") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          List<Object> reply = super.execute(call);
          if (Thread.currentThread().isInterrupted()) {
            throw new BackendException(Outcome.UNKNOWN, "interrupted", null);
          }
          return reply;
        }
      };
    }
  },
  FAILS_THE_WHOLE_BATCH(BackendConformance.Calls.class, "aFailingCallFailsAlone") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
          List<CompletableFuture<List<Object>>> all = super.executeAll(calls);
          CompletableFuture<Void> together =
              CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
          return all.stream().map(one -> together.thenCompose(ignored -> one)).toList();
        }
      };
    }
  },
  MIXES_REPLIES_UP(BackendConformance.Calls.class, "everyThreadGetsItsOwnReplies") {
    @Override
    LockBackend spoil(LockBackend good) {
      AtomicInteger out = new AtomicInteger();
      AtomicReference<List<Object>> last = new AtomicReference<>(List.of());
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          boolean alone = out.incrementAndGet() == 1;
          List<Object> own = super.execute(call);
          List<Object> previous = last.getAndSet(own);
          out.decrementAndGet();
          return alone ? own : previous;
        }
      };
    }
  },
  RUNS_SCRIPTS_IN_PIECES(BackendConformance.Calls.class, "scriptsRunAlone") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          String get = "redis.call('GET', KEYS[1])";
          String source = call.script().source();
          if (source.contains(get)) {
            Object value = super.execute(script(call, "return {" + get + " or 0}")).get(0);
            source = source.replace(get, "'" + value + "'");
          }
          return super.execute(script(call, source));
        }
      };
    }
  },
  WRAPS_ITS_FAILURES(BackendConformance.Replies.class, "anErrorReplyKeepsItsText") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
          return super.executeAsync(call).thenApply(UnaryOperator.identity());
        }
      };
    }
  },
  SPOILS_TEXT(BackendConformance.Replies.class, "argumentsAndRepliesAreUtf8") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          List<Object> reply = new ArrayList<>(super.execute(call));
          reply.replaceAll(e -> e instanceof String text ? latin1(text) : e);
          return reply;
        }
      };
    }
  },
  BLOCKS_IN_ASYNC(RedisBackendConformance.Outage.class, "asyncCallsToAFrozenServerReturnAtOnce") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
          try {
            return CompletableFuture.completedFuture(
                super.execute(FaultDuties.within(Duration.ofSeconds(1), call)));
          } catch (BackendException e) {
            return CompletableFuture.failedFuture(e);
          }
        }
      };
    }
  },
  IGNORES_THE_TIMEOUT(RedisBackendConformance.Outage.class, "aFrozenServer") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          return super.execute(FaultDuties.within(Duration.ofSeconds(4), call));
        }
      };
    }
  },
  NEVER_USES_EVALSHA(RedisBackendConformance.Outage.class, "aKnownScriptIsOneCommand") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          Script script = new Script("x", call.script().source(), "0".repeat(40));
          return super.execute(new ScriptCall(script, call.keys(), call.args(), call.timeout()));
        }
      };
    }
  },
  SAYS_NOT_EXECUTED(RedisBackendConformance.BrokenLink.class, "theLinkBreaksBeforeTheReply") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          try {
            return super.execute(call);
          } catch (BackendException e) {
            throw new BackendException(Outcome.NOT_EXECUTED, String.valueOf(e.getMessage()), e);
          }
        }
      };
    }
  },
  TRIES_AGAIN(RedisBackendConformance.BrokenLink.class, "cutsUnderLoad") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          try {
            return super.execute(call);
          } catch (BackendException e) {
            return super.execute(call);
          }
        }
      };
    }
  },
  RUNS_CALLS_LATER(RedisBackendConformance.BrokenLink.class, "callsWithoutALinkNeverRunLater") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          try {
            return super.execute(call);
          } catch (BackendException e) {
            ThreadKind.PLATFORM.start(() -> Await.until("it runs", () -> runs(good, call)));
            throw e;
          }
        }
      };
    }
  },
  TAKES_MANY_THREADS(BackendConformance.Messages.class, "messagesArriveInOrder") {
    @Override
    LockBackend spoil(LockBackend good) {
      Executor threads = ThreadKind.PLATFORM::start;
      return withListeners(
          good,
          listener ->
              new Relay(listener) {
                @Override
                public void onMessage(String message) {
                  threads.execute(() -> super.onMessage(message));
                }
              });
    }
  },
  LOSES_A_WAKE_UP(BackendConformance.Messages.class, "messagesArriveInOrder") {
    @Override
    LockBackend spoil(LockBackend good) {
      return withListeners(
          good,
          listener ->
              new Relay(listener) {
                @Override
                public void onMessage(String message) {
                  if (!message.equals("1234")) {
                    super.onMessage(message);
                  }
                }
              });
    }
  },
  TALKS_AFTER_CLOSE(BackendConformance.Messages.class, "afterCloseNothingArrives") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public Subscription subscribe(String channel, ChannelListener listener) {
          super.subscribe(channel, listener);
          return () -> {};
        }
      };
    }
  },
  HIDES_GAPS(RedisBackendConformance.Gaps.class, "aKilledConnection") {
    @Override
    LockBackend spoil(LockBackend good) {
      return withListeners(
          good,
          listener ->
              new Relay(listener) {
                @Override
                public void onInterrupted(Throwable cause) {}
              });
    }
  },
  REPEATS_GAPS(RedisBackendConformance.Gaps.class, "aRestartedServer") {
    @Override
    LockBackend spoil(LockBackend good) {
      return withListeners(
          good,
          listener ->
              new Relay(listener) {
                @Override
                public void onInterrupted(Throwable cause) {
                  super.onInterrupted(cause);
                  super.onInterrupted(cause);
                }
              });
    }
  },
  WORKS_AFTER_CLOSE(BackendConformance.Life.class, "afterCloseCallsFail") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public void close() {}
      };
    }
  },
  LEAKS_A_THREAD(BackendConformance.Life.class, "noThreadIsLeft") {
    @Override
    LockBackend spoil(LockBackend good) {
      CountDownLatch never = new CountDownLatch(1);
      ThreadKind.PLATFORM.start(() -> {
        try {
          never.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      });
      return good;
    }
  },
  IGNORES_EXPIRY(BackendConformance.Time.class, "aKeyExpires") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public List<Object> execute(ScriptCall call) {
          String source = call.script().source().replace("'PX', ARGV[1]", "'PX', 60000");
          return super.execute(script(call, source));
        }
      };
    }
  },
  LIVES_TOO_FAST(BackendConformance.Time.class, "timeAgreesWithTheStore") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public TimeSource time() {
          return new FastTime();
        }
      };
    }
  },
  FORGETS_THE_WALL_CLOCK(BackendConformance.Time.class, "theWallClockGoesOn") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public TimeSource time() {
          return new SteadyTime();
        }
      };
    }
  },
  SHOWS_THE_PASSWORD(RedisBackendConformance.Opening.class, "opensWithPasswordAndUser") {
    @Override
    LockBackend spoil(LockBackend good) {
      return new Wrapped(good) {
        @Override
        public String toString() {
          return good + " password " + Secrets.PASSWORD;
        }
      };
    }
  };

  private final Class<?> group;
  private final String test;

  Defect(Class<?> group, String test) {
    this.group = group;
    this.test = test;
  }

  abstract LockBackend spoil(LockBackend good);

  Class<?> group() {
    return group;
  }

  String test() {
    return test;
  }

  private static String latin1(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static ScriptCall script(ScriptCall call, String source) {
    return new ScriptCall(Script.of("spoiled", source), call.keys(), call.args(), call.timeout());
  }

  private static boolean runs(LockBackend backend, ScriptCall call) {
    try {
      return !backend.execute(call).isEmpty();
    } catch (BackendException e) {
      return false;
    }
  }

  private static LockBackend withListeners(
      LockBackend good, UnaryOperator<ChannelListener> spoiled) {
    return new Wrapped(good) {
      @Override
      public Subscription subscribe(String channel, ChannelListener listener) {
        return super.subscribe(channel, spoiled.apply(listener));
      }
    };
  }
}

package io.mortise.backend.support.cluster;

import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a client library does for a cluster: it hashes keys, and it connects to a node. */
public interface ClusterNodes extends AutoCloseable {
  /**
   * The hash slot of a key.
   *
   * @param key any key
   * @return 0 to 16383
   */
  int slot(String key);

  /**
   * Connects to a node, and checks that it is one of a cluster. May block.
   *
   * @param place the node's {@code host:port}, as the cluster names it
   * @return a connected node
   * @throws io.mortise.spi.BackendException the node cannot be reached, or is refused
   */
  Node open(String place);

  /**
   * As {@link LockBackend#time}, for the nodes.
   *
   * @return the same object every time; system time by default
   */
  default TimeSource time() {
    return TimeSource.system();
  }

  /**
   * Closes what the nodes share, and ends the opening of nodes that still connect. The open nodes
   * are closed beside it.
   */
  @Override
  void close();

  /** One node of the cluster. Thread-safe. */
  interface Node {
    /**
     * The backend of this server alone. It follows no redirection.
     *
     * @return always the same object; closing it closes the node
     */
    LockBackend backend();

    /**
     * Whether the node can still be used. One that cannot is closed, and opened again when a call
     * needs it.
     *
     * @return false if a client that belongs to the application has closed its connections
     */
    default boolean isUsable() {
      return true;
    }

    /**
     * Sends one command that is no script. May block.
     *
     * @param time how long to wait for the reply
     * @param words the command and its arguments
     * @return the reply; a list of one element if it is no array
     * @throws Exception the server refused, or sent no reply in time
     */
    List<?> ask(Duration time, String... words) throws Exception;

    /**
     * Sends {@code ASKING} and the script's text together, so that no other command comes between.
     *
     * @param call the script to run
     * @return the reply, as {@link LockBackend#executeAsync} gives it
     */
    CompletableFuture<List<Object>> executeAsking(ScriptCall call);
  }
}

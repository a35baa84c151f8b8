package io.mortise.conformance.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A redis-server in a container. The only class that needs Testcontainers. */
final class ContainerNode implements Node {
  private final int port = FreePort.next();
  private final GenericContainer<?> container;

  ContainerNode(RedisServer.Binary binary, List<String> arguments) {
    String image = binary == RedisServer.Binary.EMBEDDED ? "redis:6.2" : "redis:7";
    List<String> command = new ArrayList<>(List.of("redis-server", "--save", ""));
    command.addAll(arguments);
    container = new GenericContainer<>(DockerImageName.parse(image));
    container.withExposedPorts(6379).withCommand(command.toArray(String[]::new));
    // A fixed port, so that the server has the same address after a restart.
    container.setPortBindings(List.of(port + ":6379"));
  }

  @Override
  public String host() {
    return container.getHost();
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void launch() {
    container.start();
  }

  /** Stopping a container also removes its data. */
  @Override
  public void forget() {}

  @Override
  public long pid() {
    throw new UnsupportedOperationException("the server runs in a container");
  }

  @Override
  public boolean isRunning() {
    return container.isRunning();
  }

  @Override
  public void pause() {
    container.getDockerClient().pauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void resume() {
    container.getDockerClient().unpauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void stepClock(Duration by) {
    throw new UnsupportedOperationException("the server runs in a container");
  }

  @Override
  public void kill() {
    container.stop();
  }

  @Override
  public String output() {
    return container.getLogs();
  }

  @Override
  public void dispose() {
    container.stop();
  }
}

package io.mortise.jmh.drive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps processes on one processor for a while, by {@code taskset} of util-linux: a client of one
 * thread and its server take turns there, and no processor falls asleep between request and reply.
 * Processes that are started meanwhile are on that processor too. Where there is no {@code
 * taskset}, nothing is kept anywhere.
 */
public final class Pin {
  /** What is done on one processor. */
  public interface Task {
    /**
     * Does it.
     *
     * @throws Exception it failed
     */
    void run() throws Exception;
  }

  private final List<Long> processes;
  private final String processors;

  private Pin(List<Long> processes, String processors) {
    this.processes = processes;
    this.processors = processors;
  }

  /**
   * For these processes.
   *
   * @param processes their ids, that of this process among them
   * @return possible or not
   */
  public static Pin of(Long... processes) {
    try {
      for (Long each : processes) {
        taskset("-p", String.valueOf(each));
      }
      String answer = taskset("-c", "-p", String.valueOf(processes[0]));
      String list = answer.substring(answer.lastIndexOf(':') + 1).strip();
      return new Pin(List.of(processes), list);
    } catch (IOException e) {
      return new Pin(List.of(), "");
    }
  }

  /**
   * Whether it does anything.
   *
   * @return whether there is a {@code taskset} that answers
   */
  public boolean isPossible() {
    return !processes.isEmpty();
  }

  /**
   * Does something while all are on one processor.
   *
   * @param task what to do
   * @throws Exception it failed, or the processes could not be moved
   */
  public void together(Task task) throws Exception {
    move(processors.replaceAll(".*[-,]", "")); // the last: the first has most of the interrupts
    try {
      task.run();
    } finally {
      move(processors);
    }
  }

  private void move(String list) throws IOException {
    for (long each : processes) {
      taskset("-a", "-c", "-p", list, String.valueOf(each));
    }
  }

  private static String taskset(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("taskset"));
    command.addAll(Arrays.asList(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean failed = process.onExit().join().exitValue() != 0;
    if (failed && !answer.contains("No such process")) { // a thread that has ended
      throw new IOException(String.join(" ", command) + ": " + answer.strip());
    }
    return answer;
  }
}

package io.mortise.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Which method calls which, read from the class files of one folder. It is an upper bound: a call
 * reaches every override in that folder, and a lambda counts as called where it is made. Only the
 * first object is known: what it calls on itself, its own class does. Calls that go through other
 * code, such as an executor, are not followed.
 */
final class CallGraph {
  /** A method of a class, by internal name, and its name with the descriptor. */
  record Method(String owner, String signature) {}

  private final Map<Method, Set<Method>> calls = new HashMap<>();
  private final Map<String, List<String>> parents = new HashMap<>();
  private final Map<String, List<String>> children = new HashMap<>();

  static CallGraph of(Path classes) throws IOException {
    CallGraph graph = new CallGraph();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        new ClassReader(Files.readAllBytes(file))
            .accept(graph.new Declared(), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
      }
    }
    return graph;
  }

  /**
   * The classes of all methods that may run in a call of one, without those inside another class.
   *
   * @param most how many calls deep
   */
  Set<String> reachable(Method from, int most) {
    Map<Method, Integer> depths = new HashMap<>();
    mayRun(from).forEach(each -> depths.put(each, 0));
    Set<String> kinds = kinds(from.owner());
    Deque<Method> next = new ArrayDeque<>(depths.keySet());
    while (!next.isEmpty()) {
      Method caller = next.remove();
      int depth = Objects.requireNonNull(depths.get(caller)) + 1;
      for (Method each : calls.getOrDefault(caller, Set.of())) {
        Method named =
            kinds.contains(each.owner()) ? new Method(from.owner(), each.signature()) : each;
        for (Method called : depth > most ? Set.<Method>of() : mayRun(named)) {
          if (depths.putIfAbsent(called, depth) == null) {
            next.add(called);
          }
        }
      }
    }
    Set<String> classes = new TreeSet<>();
    depths.keySet().forEach(each -> classes.add(each.owner().replaceAll(".*/|\\$.*", "")));
    return classes;
  }

  /** A class and all that it extends or implements. */
  private Set<String> kinds(String owner) {
    Set<String> all = new HashSet<>(Set.of(owner));
    parents.getOrDefault(owner, List.of()).forEach(each -> all.addAll(kinds(each)));
    return all;
  }

  /** The method that a call names, wherever it is inherited from, and every override of it. */
  private Set<Method> mayRun(Method named) {
    Set<Method> all = new HashSet<>();
    Method inherited = inherited(named);
    if (inherited != null) {
      all.add(inherited);
    }
    Deque<String> next = new ArrayDeque<>(children.getOrDefault(named.owner(), List.of()));
    while (!next.isEmpty()) {
      String owner = next.remove();
      Method override = new Method(owner, named.signature());
      if (calls.containsKey(override)) {
        all.add(override);
      }
      next.addAll(children.getOrDefault(owner, List.of()));
    }
    return all;
  }

  private @Nullable Method inherited(Method named) {
    if (calls.containsKey(named)) {
      return named;
    }
    for (String parent : parents.getOrDefault(named.owner(), List.of())) {
      Method inherited = inherited(new Method(parent, named.signature()));
      if (inherited != null) {
        return inherited;
      }
    }
    return null;
  }

  private final class Declared extends ClassVisitor {
    private String owner = "";

    Declared() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        @Nullable String generic,
        @Nullable String superName,
        String[] interfaces) {
      owner = name;
      List<String> above = new ArrayList<>(List.of(interfaces));
      above.add(String.valueOf(superName));
      above.remove("java/lang/Object"); // or else a call of toString() would reach all classes
      parents.put(name, above);
      above.forEach(each -> children.computeIfAbsent(each, k -> new ArrayList<>()).add(name));
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, @Nullable String generic, String[] thrown) {
      Set<Method> called = new HashSet<>();
      boolean runs = (access & Opcodes.ACC_ABSTRACT) == 0;
      if (runs) {
        calls.put(new Method(owner, name + descriptor), called);
      }
      return new Calls(called);
    }
  }

  private static final class Calls extends MethodVisitor {
    private final Set<Method> called;

    Calls(Set<Method> called) {
      super(Opcodes.ASM9);
      this.called = called;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean ofInterface) {
      called.add(new Method(owner, name + descriptor));
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      for (Object each : arguments) {
        if (each instanceof Handle handle) {
          called.add(new Method(handle.getOwner(), handle.getName() + handle.getDesc()));
        }
      }
    }
  }
}

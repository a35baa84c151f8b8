package io.mortise.junit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/** Finds the calls of locked methods on {@code this} in class files. */
final class SelfCalls extends ClassVisitor {
  private final Set<String> owners;
  private final Map<String, String> locked;
  private final Set<String> found;
  private final List<String> nested = new ArrayList<>();

  /** The static methods of the classes that were read: the classes in them have no outer object. */
  private final Set<String> statics = new HashSet<>();

  private String type = "";

  /** The class of the object around those of this class; null if there is none. */
  private @Nullable String outer;

  /**
   * Looks for calls of one object's methods.
   *
   * @param owners the classes of which it is an instance
   * @param locked names and descriptors of its locked methods and of their bridges, each with those
   *     of the method itself
   * @param found gets a sentence for each call
   */
  SelfCalls(Set<Class<?>> owners, Map<String, String> locked, Set<String> found) {
    super(SpringAsmInfo.ASM_VERSION);
    this.owners = owners.stream().map(Type::getInternalName).collect(Collectors.toSet());
    this.locked = locked;
    this.found = found;
  }

  /** Reads a class file, and gives the names of the classes that are nested in it. */
  List<String> read(ClassReader file) {
    type = file.getClassName();
    outer = null;
    nested.clear();
    file.accept(this, ClassReader.SKIP_FRAMES);
    return List.copyOf(nested);
  }

  /** A class in a method. The method's class was read before. */
  @Override
  public void visitOuterClass(String owner, @Nullable String name, @Nullable String descriptor) {
    outer = statics.contains(owner + '.' + name + descriptor) ? null : owner;
  }

  @Override
  public void visitInnerClass(
      String name, @Nullable String outerName, @Nullable String innerName, int access) {
    if (name.equals(type)) {
      String around = outerName == null ? outer : outerName;
      outer = (access & Opcodes.ACC_STATIC) == 0 ? around : null;
    }
    if (name.startsWith(type + "$") && !nested.contains(name)) {
      nested.add(name);
    }
  }

  /** A bridge calls the method that it stands for, so it is none. */
  @Override
  public @Nullable MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    if ((access & Opcodes.ACC_STATIC) != 0) {
      statics.add(type + '.' + name + descriptor);
    }
    boolean isBridge = (access & Opcodes.ACC_BRIDGE) != 0;
    return isBridge ? null : new Calls(access, name, descriptor);
  }

  /** The constructor of an inner class gets the object around it first. */
  private boolean getsOuter(String name, String descriptor) {
    return name.equals("<init>") && outer != null && descriptor.startsWith("(L" + outer + ";");
  }

  /** In Kotlin a lambda is a static method that gets {@code this} first. */
  private boolean isKotlinLambda(String name, String descriptor) {
    return name.contains("$lambda$")
        && owners.stream().anyMatch(each -> descriptor.startsWith("(L" + each + ";"));
  }

  /** The method that has the lambda, in the names of Java and of Kotlin. */
  private static String methodAround(String caller) {
    String name = caller.startsWith("lambda$") ? caller.substring(7) : caller;
    int end = name.indexOf('$');
    return end > 0 ? name.substring(0, end) : name;
  }

  /** The calls in one method. */
  private final class Calls extends ThisTracker {
    private final String caller;
    private final String descriptor;
    private int line;

    Calls(int access, String name, String descriptor) {
      super(
          (access & Opcodes.ACC_STATIC) == 0 || isKotlinLambda(name, descriptor),
          getsOuter(name, descriptor));
      this.caller = name;
      this.descriptor = descriptor;
    }

    @Override
    public void visitLineNumber(int number, Label start) {
      line = number;
    }

    /** The method of a superclass that an override calls is part of the same locked call. */
    @Override
    void calledOnThis(int opcode, String owner, String name, String descriptor) {
      String callee = locked.get(name + descriptor);
      boolean isSuper =
          opcode == Opcodes.INVOKESPECIAL
              && name.equals(caller)
              && Objects.equals(callee, locked.get(caller + this.descriptor));
      if (owners.contains(owner) && callee != null && !isSuper) {
        found.add(
            "%s.%s (line %d) calls %s.%s of its own object"
                .formatted(
                    type.replace('/', '.'),
                    methodAround(caller),
                    line,
                    owner.replace('/', '.'),
                    name));
      }
    }
  }
}

package io.mortise.backend.inmemory;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads Mortise's classes once more, beside those of the tests, and makes some of them count their
 * {@link Steps}. So a test counts work instead of time, and the product has no counter.
 *
 * <p>A loop inside a class of the JDK is seen where it calls back: a predicate, an {@code equals}
 * or a {@code compareTo} of a counted class is a step.
 */
final class CountingLoader extends URLClassLoader {
  private static final String STEPS = Steps.class.getName();

  private final Predicate<String> counted;

  /**
   * @param counted chooses by name the classes that count
   * @param examples a class of each module that is loaded once more
   */
  CountingLoader(Predicate<String> counted, Class<?>... examples) {
    super(
        Stream.of(examples).map(CountingLoader::placeOf).toArray(URL[]::new),
        CountingLoader.class.getClassLoader());
    this.counted = counted;
  }

  private static URL placeOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      URL place = findResource(name.replace('.', '/') + ".class");
      return place == null || name.equals(STEPS)
          ? super.loadClass(name, resolve)
          : define(name, place);
    }
  }

  private Class<?> define(String name, URL place) throws ClassNotFoundException {
    byte[] code;
    try (InputStream in = place.openStream()) {
      code = in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    byte[] ready = counted.test(name) ? counting(code) : code;
    return defineClass(name, ready, 0, ready.length);
  }

  private static byte[] counting(byte[] code) {
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String type, String signature, String[] thrown) {
            return new Counting(super.visitMethod(access, name, type, signature, thrown));
          }
        },
        0);
    return writer.toByteArray();
  }

  /** Counts each call of the method, and each jump back. The counter leaves the stack as it is. */
  private static final class Counting extends MethodVisitor {
    private final Set<Label> passed = new HashSet<>();

    Counting(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    private void step() {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS.replace('.', '/'), "step", "()V", false);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      step();
    }

    @Override
    public void visitLabel(Label label) {
      passed.add(label);
      super.visitLabel(label);
    }

    @Override
    public void visitJumpInsn(int opcode, Label to) {
      if (passed.contains(to)) {
        step();
      }
      super.visitJumpInsn(opcode, to);
    }
  }
}

package io.mortise.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The calls in a module's class files that a native image cannot follow by itself: of reflection,
 * of resources, and of fields by their names.
 */
final class ReflectiveCalls extends ClassVisitor {
  private static final Pattern OF_CLASS =
      Pattern.compile(
          "forName|newInstance|get(Declared)?(Field|Method|Constructor|Classe)s?|getResource.*|getRecordComponents");

  private static final Map<String, Pattern> REFLECTIVE =
      Map.of(
          "java/lang/Class", OF_CLASS,
          "java/lang/ClassLoader", Pattern.compile("(find|get)(System)?Resource.*|resources"),
          "java/lang/Module", Pattern.compile("getResource.*"),
          "java/lang/invoke/MethodHandles$Lookup", Pattern.compile("find.*|unreflect.*"),
          "java/lang/reflect/Proxy", Pattern.compile("newProxyInstance"),
          "java/util/ResourceBundle", Pattern.compile("getBundle"),
          "java/util/ServiceLoader", Pattern.compile("load.*"),
          "java/io/ObjectInputStream", Pattern.compile("<init>"));

  private static final Pattern UPDATER = Pattern.compile("java/util/concurrent/atomic/.*Updater");

  /** Such as {@code InstalledProviders: ServiceLoader.load}. */
  final Set<String> calls = new TreeSet<>();

  /** Such as {@code io.mortise.backend.support.PendingCall.fate}. */
  final Set<String> fieldsByName = new TreeSet<>();

  private String type = "";

  private ReflectiveCalls() {
    super(Opcodes.ASM9);
  }

  /** Those of all class files in a folder. */
  static ReflectiveCalls in(Path classes) {
    ReflectiveCalls found = new ReflectiveCalls();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        new ClassReader(Files.readAllBytes(file)).accept(found, ClassReader.SKIP_DEBUG);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no classes in " + classes + "; build the module", e);
    }
    return found;
  }

  @Override
  public void visit(
      int version,
      int access,
      String name,
      @Nullable String signature,
      @Nullable String superName,
      String @Nullable [] interfaces) {
    type = name.replace('/', '.');
  }

  @Override
  public MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    return new MethodVisitor(Opcodes.ASM9) {
      private String lastText = "";

      @Override
      public void visitLdcInsn(Object value) {
        lastText = value instanceof String text ? text : lastText;
      }

      @Override
      public void visitMethodInsn(
          int opcode, String owner, String called, String descriptorOfCalled, boolean ofInterface) {
        Pattern reflective = REFLECTIVE.get(owner);
        if (reflective != null && reflective.matcher(called).matches()) {
          String shortType = type.substring(type.lastIndexOf('.') + 1);
          calls.add(shortType + ": " + owner.substring(owner.lastIndexOf('/') + 1) + '.' + called);
        }
        if (UPDATER.matcher(owner).matches() && called.equals("newUpdater")) {
          fieldsByName.add(type + '.' + lastText);
        }
      }
    };
  }
}

package io.mortise.conformance.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The declarations and references of a class file. The file is read and never loaded. */
final class ClassFacts extends ClassVisitor {
  private static final Pattern CLASS_IN_DESCRIPTOR = Pattern.compile("L([^;]+);");
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;
  private static final int METHOD_TYPE = 16;

  /** A reference to a field or a method. The signature is its name and descriptor. */
  record Member(String owner, String signature, boolean ofInterface, boolean isField) {
    @Override
    public String toString() {
      return owner.replace('/', '.') + '.' + signature;
    }
  }

  private final ClassReader reader;
  private final char[] buffer;
  private final Map<String, Integer> members = new HashMap<>();

  /** Internal names, such as {@code java/lang/Object}. */
  final Set<String> namedClasses = new LinkedHashSet<>();

  final Set<Member> namedMembers = new LinkedHashSet<>();

  /** The texts in its code. Those of annotations are not among them. */
  final Set<String> texts = new LinkedHashSet<>();

  private ClassFacts(byte[] file) {
    super(Opcodes.ASM9);
    reader = new ClassReader(file);
    buffer = new char[reader.getMaxStringLength()];
    reader.accept(this, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
    for (int i = 1; i < reader.getItemCount(); i++) {
      int item = reader.getItem(i);
      if (item > 0) { // a long takes two entries
        collect(reader.readByte(item - 1), item);
      }
    }
  }

  static ClassFacts read(InputStream file) throws IOException {
    return new ClassFacts(file.readAllBytes());
  }

  /** The classes whose files are in the folder and below it. */
  static List<ClassFacts> below(Path folder) throws IOException {
    List<ClassFacts> read = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(ClassFacts::isClass).toList()) {
        try (InputStream in = Files.newInputStream(file)) {
          read.add(read(in));
        }
      }
    }
    return read;
  }

  private static boolean isClass(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".class") && !name.equals("module-info.class");
  }

  /** One entry of the constant pool, which has everything that a class resolves by itself. */
  private void collect(int tag, int item) {
    switch (tag) {
      case STRING -> texts.add(text(item));
      case CLASS -> namesClass(text(item));
      case FIELD, METHOD, INTERFACE_METHOD -> namesMember(tag, item);
      case NAME_AND_TYPE -> namesThoseOf(text(item + 2));
      case METHOD_TYPE -> namesThoseOf(text(item));
      default -> {} // refers to nothing
    }
  }

  private String text(int place) {
    return Objects.requireNonNull(reader.readUTF8(place, buffer));
  }

  private void namesClass(String name) {
    if (name.startsWith("[")) {
      namesThoseOf(name);
    } else {
      namedClasses.add(name);
    }
  }

  private void namesThoseOf(String descriptor) {
    Matcher classes = CLASS_IN_DESCRIPTOR.matcher(descriptor);
    while (classes.find()) {
      namedClasses.add(classes.group(1));
    }
  }

  private void namesMember(int tag, int item) {
    String owner = reader.readClass(item, buffer);
    int nameAndType = reader.getItem(reader.readUnsignedShort(item + 2));
    String signature = text(nameAndType) + separator(tag == FIELD) + text(nameAndType + 2);
    namedMembers.add(new Member(owner, signature, tag == INTERFACE_METHOD, tag == FIELD));
  }

  private static String separator(boolean field) {
    return field ? ":" : "";
  }

  @Override
  public @Nullable FieldVisitor visitField(
      int access,
      String name,
      String descriptor,
      @Nullable String generic,
      @Nullable Object value) {
    members.put(name + separator(true) + descriptor, access);
    namesThoseOf(descriptor);
    return null;
  }

  @Override
  public MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String generic,
      String @Nullable [] exceptions) {
    members.put(name + separator(false) + descriptor, access);
    namesThoseOf(descriptor);
    return new MethodVisitor(Opcodes.ASM9) {
      @Override
      public AnnotationVisitor visitAnnotation(String type, boolean visible) {
        return ClassFacts.this.visitAnnotation(type, visible);
      }
    };
  }

  /** An annotation is resolved by those that look for it. */
  @Override
  public AnnotationVisitor visitAnnotation(String type, boolean visible) {
    namesThoseOf(type);
    return new AnnotationVisitor(Opcodes.ASM9) {
      @Override
      public void visit(@Nullable String name, Object value) {
        if (value instanceof Type named) {
          namesThoseOf(named.getDescriptor());
        }
      }

      @Override
      public AnnotationVisitor visitArray(String name) {
        return this;
      }
    };
  }

  String name() {
    return reader.getClassName();
  }

  boolean isPublic() {
    return has(Opcodes.ACC_PUBLIC);
  }

  boolean isInterface() {
    return has(Opcodes.ACC_INTERFACE);
  }

  boolean isAbstract() {
    return has(Opcodes.ACC_ABSTRACT);
  }

  private boolean has(int flag) {
    return (reader.getAccess() & flag) != 0;
  }

  /** The superclass and the interfaces. */
  List<String> supertypes() {
    return Stream.concat(
            Stream.ofNullable(reader.getSuperName()), Stream.of(reader.getInterfaces()))
        .toList();
  }

  /** Whether the class declares the member for use by other packages. */
  boolean offers(Member member) {
    int access = members.getOrDefault(member.signature(), 0);
    return (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0;
  }

  boolean declares(Member member) {
    return members.containsKey(member.signature());
  }

  /** The methods that a concrete subtype must have. */
  Stream<String> abstractMethods() {
    return members.entrySet().stream()
        .filter(member -> (member.getValue() & Opcodes.ACC_ABSTRACT) != 0)
        .map(Map.Entry::getKey);
  }

  boolean implementsMethod(String signature) {
    int access = members.getOrDefault(signature, Opcodes.ACC_ABSTRACT);
    return (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0;
  }
}

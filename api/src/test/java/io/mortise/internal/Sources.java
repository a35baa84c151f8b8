package io.mortise.internal;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The measures of source files. The compiler parses them, and does nothing else with them. */
final class Sources {
  /** Lengths with comments and blank lines, by the name of the file. */
  final Map<String, Integer> lines = new TreeMap<>();

  /** How many fields of an object a type declares, by its name. */
  final Map<String, Integer> fields = new TreeMap<>();

  /** The lines of methods and constructors with a body, without their Javadoc. */
  final Map<String, Integer> methods = new TreeMap<>();

  final Map<String, Integer> parameters = new TreeMap<>();

  /** What types, methods, fields, parameters and variables are called. */
  final List<String> names = new ArrayList<>();

  /** All sources below these folders. */
  static Sources below(List<Path> folders) throws IOException {
    List<File> files = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> all = Files.walk(folder)) {
        all.filter(each -> each.toString().endsWith(".java")).map(Path::toFile).forEach(files::add);
      }
    }
    Sources sources = new Sources();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromFiles(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree file : task.parse()) {
        sources.add(file, positions);
      }
    }
    return sources;
  }

  private void add(CompilationUnitTree file, SourcePositions positions) {
    String path = Path.of(file.getSourceFile().getName()).getFileName().toString();
    String name = path.replace(".java", "");
    lines.put(name, (int) file.getLineMap().getLineNumber(positions.getEndPosition(file, file)));
    new Declarations(name, file, positions).scan(file, null);
  }

  private final class Declarations extends TreeScanner<@Nullable Void, @Nullable Void> {
    private final String name;
    private final CompilationUnitTree file;
    private final SourcePositions positions;

    Declarations(String name, CompilationUnitTree file, SourcePositions positions) {
      this.name = name;
      this.file = file;
      this.positions = positions;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
      names.add(type.getSimpleName().toString());
      long count =
          type.getMembers().stream()
              .filter(VariableTree.class::isInstance)
              .filter(each ->
                  !((VariableTree) each).getModifiers().getFlags().contains(Modifier.STATIC))
              .count();
      fields.merge(name + '.' + type.getSimpleName(), (int) count, Math::max);
      return super.visitClass(type, null);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      String full = name + '.' + method.getName();
      names.add(method.getName().toString());
      parameters.merge(full, method.getParameters().size(), Math::max);
      if (method.getBody() != null) {
        methods.merge(full, (int) (line(method, false) - line(method, true) + 1), Math::max);
      }
      return super.visitMethod(method, null);
    }

    private long line(MethodTree method, boolean first) {
      long position =
          first ? positions.getStartPosition(file, method) : positions.getEndPosition(file, method);
      return file.getLineMap().getLineNumber(position);
    }

    @Override
    public @Nullable Void visitVariable(VariableTree variable, @Nullable Void unused) {
      names.add(variable.getName().toString());
      return super.visitVariable(variable, null);
    }
  }
}

package io.mortise.conformance.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a module lacks on the class path is found. The module is a sample whose class file is
 * changed: each reference to one name becomes one to another name of the same length.
 */
public class LinkageTest {
  @TempDir Path module;

  public @interface Mark {
    Class<?>[] value();
  }

  public static class Used {
    public int field;

    public void method() {}
  }

  public interface Role {
    void play();
  }

  @interface Mine {}

  @Mark({List.class, Thread.class})
  static class Sample implements Role {
    private final Used used = new Used();

    @Override
    public void play() {
      used.field = "some.Text".length();
      used.method();
    }

    @Deprecated
    void old() {}
  }

  private Linkage sampleWith(String name, String other) throws IOException {
    String file = Sample.class.getName().replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(ClassLoader.getSystemResourceAsStream(file))) {
      String bytes = new String(in.readAllBytes(), ISO_8859_1);
      assertTrue(bytes.contains(name) && name.length() == other.length(), name);
      Files.write(module.resolve("Sample.class"), bytes.replace(name, other).getBytes(ISO_8859_1));
    }
    return Linkage.of(module);
  }

  private void lacks(String name, String other, String... problems) throws IOException {
    List<String> missing = sampleWith(name, other).missing();
    assertEquals(problems.length, missing.size(), missing::toString);
    for (String problem : problems) {
      assertTrue(missing.stream().anyMatch(each -> each.endsWith(problem)), missing::toString);
    }
  }

  @Test
  void nothingIsMissingIfNothingIsChanged() throws IOException {
    lacks("Sample", "Sample");
  }

  @Test
  void aClassThatIsMissing() throws IOException {
    lacks("LinkageTest$Used", "LinkageTest$Gone", ": no class " + inTest("Gone"));
  }

  @Test
  void aClassOfAnotherModuleThatIsNotPublic() throws IOException {
    lacks("LinkageTest$Mark", "LinkageTest$Mine", ": no class " + inTest("Mine"));
  }

  @Test
  void aMethodThatIsMissing() throws IOException {
    lacks("method", "rename", ": no " + inTest("Used.rename()V"));
  }

  @Test
  void aFieldThatIsMissing() throws IOException {
    lacks("field", "gones", ": no " + inTest("Used.gones:I"));
  }

  @Test
  void aMethodThatIsNotImplemented() throws IOException {
    lacks("play", "plaz", "Sample: does not implement play()V");
  }

  @Test
  void anAnnotationThatIsMissing() throws IOException {
    lacks("LinkageTest$Mark", "LinkageTest$Gone", ": no class " + inTest("Gone"));
  }

  @Test
  void anAnnotationOfAMethodThatIsMissing() throws IOException {
    lacks("Deprecated;", "Depreciate;", ": no class java.lang.Depreciate");
  }

  @Test
  void aClassThatAnAnnotationNames() throws IOException {
    lacks("lang/Thread;", "lang/Thraed;", ": no class java.lang.Thraed");
  }

  @Test
  void aTextIsNoReference() throws IOException {
    Linkage sample = sampleWith("some.Text", "text.Some");
    assertEquals(List.of(), sample.missing());
    assertTrue(sample.texts().contains("text.Some"), () -> sample.texts().toString());
  }

  @Test
  void theClassesBesideOneAreThoseOfItsFolderOrJar() {
    assertTrue(Linkage.beside(LinkageTest.class).classes().contains(LinkageTest.class.getName()));
    List<String> ofJUnit = Linkage.beside(Test.class).classes();
    assertTrue(ofJUnit.contains(Test.class.getName()), ofJUnit::toString);
  }

  private static String inTest(String nested) {
    return LinkageTest.class.getName() + '$' + nested;
  }
}

package io.mortise.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The numbers of the rules that a test checks, such as {@code "B4"} of the backend contract. On a
 * class it applies to all tests of the class. At the end of a run a report counts the tests of each
 * rule and backend.
 *
 * <p>The report also lists the {@link Figures} of the tests. Its file is {@code
 * mortise-rules-<backend>.txt}. The system property or JUnit parameter {@code mortise.rules.folder}
 * names the folder, {@code target} by default. No report is written if the property is empty or the
 * folder does not exist.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(RuleReport.class)
@SuppressWarnings("exports") // An author of @Rule need not see the report.
public @interface Rule {
  /**
   * The rules.
   *
   * @return one or more numbers
   */
  String[] value();
}

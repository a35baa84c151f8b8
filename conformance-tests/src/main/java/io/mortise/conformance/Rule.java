package io.mortise.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The numbers of the rules a test checks, such as {@code "B4"} of the backend contract. On a class
 * it holds for all its tests. At the end of the run a report counts the tests of each rule and
 * backend: with the figures that tests have noted, it is written to {@code
 * mortise-rules-<backend>.txt} in the folder that the system property or JUnit parameter {@code
 * mortise.rules.folder} names, if there is such a folder; {@code target} by default, and no report
 * at all if it is empty.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(RuleReport.class)
@SuppressWarnings("exports") // Who writes @Rule need not see the report.
public @interface Rule {
  /**
   * The rules.
   *
   * @return one number or several
   */
  String[] value();
}

package io.mortise.spring;

import io.mortise.annotations.internal.LockAttributes;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.NamePart;
import io.mortise.annotations.internal.NameTemplate;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Reads the template of a lock's name, and refuses what would give all calls one name although it
 * looks different: a variable without braces, a variable that no call sets, and a {@code +} that
 * would make the text "null" of an argument that is null.
 */
final class SpelParser {
  private static final Pattern VARIABLE = Pattern.compile("#([A-Za-z_]\\w*)");
  private static final Pattern INDEX = Pattern.compile("[ap](\\d{1,3})");

  private final Method method;
  private final BeanFactory beans;
  private final String @Nullable [] names;

  SpelParser(Method method, BeanFactory beans) {
    this.method = method;
    this.beans = beans;
    names = SpelPart.NAMES.getParameterNames(method);
  }

  /**
   * Reads a template.
   *
   * @param text properties are replaced already
   * @throws LockedMethodException it is no template
   * @throws io.mortise.annotations.internal.Refusal it is blank
   */
  NameTemplate read(String text) {
    String who = Methods.text(method);
    LockAttributes.refuseBlank(who, text);
    return new NameTemplate(who, parse(text).stream().map(this::part).toList());
  }

  private NamePart part(Expression part) {
    if (part instanceof SpelExpression expression) {
      check(expression.getAST(), expression);
      return new SpelPart(part, method, beans);
    }
    refuseVariable(part.getExpressionString());
    return new NamePart.Text(part.getExpressionString());
  }

  private List<Expression> parse(String text) {
    try {
      Expression whole =
          new SpelExpressionParser().parseExpression(text, new TemplateParserContext());
      return whole instanceof CompositeStringExpression several
          ? List.of(several.getExpressions())
          : List.of(whole);
    } catch (ParseException | IllegalStateException e) {
      throw new LockedMethodException(
          "%s has the lock name \"%s\", which cannot be read: %s"
              .formatted(Methods.text(method), text, e.getMessage()),
          "Write expressions as #{#argument}");
    }
  }

  /** A text such as {@code orders:#id} would be one lock for all ids. */
  private void refuseVariable(String text) {
    Matcher variable = VARIABLE.matcher(text);
    if (variable.find()) {
      throw new LockedMethodException(
          "%s has \"%s\" in its lock name as plain text, so all calls would share one lock"
              .formatted(Methods.text(method), variable.group()),
          "Write #{%s} for the argument, or #{'%s'} for the text"
              .formatted(variable.group(), variable.group()));
    }
  }

  private void check(SpelNode node, SpelExpression expression) {
    if (node instanceof VariableReference) {
      refuseUnknown(node.toStringAST(), expression);
    }
    if (node instanceof OpPlus && node.getChildCount() == 2) {
      refuseJoin(node, expression);
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      check(node.getChild(i), expression);
    }
  }

  private void refuseUnknown(String variable, SpelExpression expression) {
    String name = variable.substring(1);
    if (name.equals("this") || name.equals("root") || isArgument(name)) {
      return;
    }
    throw new LockedMethodException(
        "%s has #{%s} in its lock name, and there is no %s; its arguments are %s"
            .formatted(
                Methods.text(method),
                expression.getExpressionString(),
                variable,
                names == null ? "not known by name" : Arrays.toString(names)),
        names == null
            ? "Compile the class with -parameters (-java-parameters in Kotlin), or write #p0 for the first argument"
            : "Write the name of an argument, or #p0 for the first one");
  }

  private boolean isArgument(String name) {
    Matcher index = INDEX.matcher(name);
    return (names != null && Arrays.asList(names).contains(name))
        || (index.matches() && Integer.parseInt(index.group(1)) < method.getParameterCount());
  }

  /** Joined with text, null is the text "null", and an object may have a text of its address. */
  private void refuseJoin(SpelNode plus, SpelExpression expression) {
    if (!isNumber(plus.getChild(0)) && !isNumber(plus.getChild(1))) {
      throw new LockedMethodException(
          "%s has #{%s} in its lock name, where + may join text with null or with an object without a text of its own"
              .formatted(Methods.text(method), expression.getExpressionString()),
          "Write the parts side by side, such as \"orders:#{#id}\" or \"#{#shop}:#{#id}\"");
    }
  }

  private static boolean isNumber(SpelNode node) {
    return node instanceof Literal literal
        && literal.getLiteralValue().getValue() instanceof Number;
  }
}

package io.mortise.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.util.ObjectUtils;

/**
 * The template of a lock's name. No expression is replaced by a text that other calls would share:
 * null, blank text and an object without a text of its own are refused.
 */
final class NameTemplate {
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  /** Whether the objects of a class have a text of their own. */
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return !type.isArray()
                && type.getMethod("toString").getDeclaringClass() != Object.class;
          } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
          }
        }
      };

  private final Method method;
  private final BeanFactoryResolver beans;
  private final List<Expression> parts;

  /** The name, if no part depends on a call. */
  private final @Nullable String constant;

  /**
   * Reads a template.
   *
   * @param text properties are replaced already
   * @throws LockedMethodException it is blank, or no template
   */
  NameTemplate(String text, Method method, BeanFactory beans) {
    this.method = method;
    this.beans = new BeanFactoryResolver(beans);
    parts = new NameParser(method, NAMES.getParameterNames(method)).read(text);
    constant = parts.stream().allMatch(LiteralExpression.class::isInstance) ? text : null;
  }

  /**
   * The name for a call.
   *
   * @throws IllegalArgumentException a part of it is null, blank, or has no text of its own
   */
  String of(@Nullable Object[] arguments) {
    if (constant != null) {
      return constant;
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(new Object(), method, arguments, NAMES);
    context.setBeanResolver(beans);
    if (parts.size() == 1) {
      return text(parts.get(0), context);
    }
    StringBuilder name = new StringBuilder();
    for (Expression part : parts) {
      name.append(
          part instanceof LiteralExpression ? part.getExpressionString() : text(part, context));
    }
    return name.toString();
  }

  private String text(Expression part, EvaluationContext context) {
    Object value;
    try {
      value = ObjectUtils.unwrapOptional(part.getValue(context));
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(problem(part, "fails: " + e.getMessage()), e);
    }
    if (value == null) {
      throw new IllegalArgumentException(problem(part, "gives null"));
    }
    if (!HAS_TEXT.get(value.getClass())) {
      throw new IllegalArgumentException(
          "%s: #{%s} in its lock name gives a %s, whose text differs from object to object; name a property of it, such as #{%s.id}"
              .formatted(
                  Methods.text(method),
                  part.getExpressionString(),
                  value.getClass().getTypeName(),
                  part.getExpressionString()));
    }
    String text = value.toString();
    if (text.isBlank()) {
      throw new IllegalArgumentException(problem(part, "gives blank text"));
    }
    return text;
  }

  private String problem(Expression part, String what) {
    return "%s: #{%s} in its lock name %s; a lock needs a name: is every argument there?"
        .formatted(Methods.text(method), part.getExpressionString(), what);
  }
}

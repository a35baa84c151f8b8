package io.mortise.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
 * null, blank text and an object without a text of its own are refused. So are collections, arrays
 * and maps: their text is that of their elements, which may have none of their own.
 */
final class NameTemplate {
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  /** Whether the objects of a class have a text of their own. */
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
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
    EvaluationContext context = context(arguments);
    if (parts.size() == 1) {
      return text(parts.get(0), value(parts.get(0), context));
    }
    StringBuilder name = new StringBuilder();
    for (Expression part : parts) {
      name.append(
          part instanceof LiteralExpression
              ? part.getExpressionString()
              : text(part, value(part, context)));
    }
    return name.toString();
  }

  private EvaluationContext context(@Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(new Object(), method, arguments, NAMES);
    context.setBeanResolver(beans);
    return context;
  }

  /**
   * The names for a call. An expression that gives a collection or an array gives a name for each
   * of its elements.
   *
   * @throws IllegalArgumentException a part of a name is null, blank, or has no text of its own, or
   *     two expressions give lists
   */
  List<String> all(@Nullable Object[] arguments) {
    if (constant != null) {
      return List.of(constant);
    }
    EvaluationContext context = context(arguments);
    List<String> names = List.of("");
    boolean listed = false;
    for (Expression part : parts) {
      if (part instanceof LiteralExpression) {
        names = joined(names, List.of(part.getExpressionString()));
        continue;
      }
      Object value = value(part, context);
      List<?> list = elements(value);
      if (list != null && listed) {
        throw new IllegalArgumentException(
            problem(part, "gives a second list in one name; write names that have one list each"));
      }
      listed |= list != null;
      List<?> values = list == null ? Collections.singletonList(value) : list;
      names =
          joined(
              names,
              values.stream().map(each -> text(part, ObjectUtils.unwrapOptional(each))).toList());
    }
    return names;
  }

  /** The elements of a collection or an array; null if it is neither. */
  private static @Nullable List<?> elements(@Nullable Object value) {
    if (value instanceof Collection<?> collection) {
      return new ArrayList<>(collection);
    }
    return value != null && value.getClass().isArray()
        ? Arrays.asList(ObjectUtils.toObjectArray(value))
        : null;
  }

  /** Each beginning with each end. At most one of the two lists has several elements. */
  private static List<String> joined(List<String> begins, List<String> ends) {
    return begins.stream().flatMap(begin -> ends.stream().map(end -> begin + end)).toList();
  }

  private @Nullable Object value(Expression part, EvaluationContext context) {
    try {
      return ObjectUtils.unwrapOptional(part.getValue(context));
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(problem(part, "fails: " + e.getMessage()), e);
    }
  }

  private String text(Expression part, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(problem(part, "gives null"));
    }
    if (value instanceof Map || elements(value) != null) {
      throw new IllegalArgumentException(
          "%s: #{%s} in its lock name gives a %s, which names no single lock; write a flat list into names for a lock of each element, or name a property of it"
              .formatted(
                  Methods.text(method),
                  part.getExpressionString(),
                  value.getClass().getTypeName()));
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

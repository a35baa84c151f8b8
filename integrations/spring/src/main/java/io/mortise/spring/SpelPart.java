package io.mortise.spring;

import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.NamePart;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/** An expression in the template of a lock's name. */
record SpelPart(Expression expression, Method method, BeanFactory beans) implements NamePart {
  static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  @Override
  public String text() {
    return "#{" + expression.getExpressionString() + "}";
  }

  @Override
  public @Nullable Object value(@Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(new Object(), method, arguments, NAMES);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    try {
      return expression.getValue(context);
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(
          "%s: %s in its lock name fails: %s"
              .formatted(Methods.text(method), text(), e.getMessage()),
          e);
    }
  }
}

package io.mortise.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A wrapper of another time forwards all of it, also what has a default. */
@Tag("B20")
class ForwardingTimeTest {
  @Test
  void everyMethodIsForwarded() {
    List<String> left =
        Arrays.stream(TimeSource.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method ->
                Arrays.stream(ForwardingTime.class.getDeclaredMethods())
                    .noneMatch(own ->
                        own.getName().equals(method.getName())
                            && Arrays.equals(own.getParameterTypes(), method.getParameterTypes())))
            .map(Object::toString)
            .toList();
    assertEquals(List.of(), left);
  }
}

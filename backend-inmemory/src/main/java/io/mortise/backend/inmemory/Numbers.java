package io.mortise.backend.inmemory;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

/** Numbers and text as Redis reads and writes them. */
final class Numbers {
  /** The digits of a double in a command or a reply: enough to read back the same value. */
  private static final int EXACT = 17;

  private Numbers() {}

  /** The text in UTF-8. */
  static LuaString text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return LuaString.valueUsing(bytes, 0, bytes.length);
  }

  static String string(LuaString text) {
    return new String(text.m_bytes, text.m_offset, text.m_length, StandardCharsets.UTF_8);
  }

  static LuaString text(long number) {
    return text(Long.toString(number));
  }

  /**
   * The number as C's {@code %.17g} writes it. Redis writes scores and numeric arguments that way.
   */
  static LuaString text(double number) {
    return text(format(number, EXACT));
  }

  /** The number as C's {@code %.<digits>g} writes it. */
  static String format(double number, int digits) {
    if (Double.isNaN(number)) {
      return "-nan";
    }
    if (Double.isInfinite(number)) {
      return number > 0 ? "inf" : "-inf";
    }
    if (number == 0) {
      return 1 / number < 0 ? "-0" : "0";
    }
    if (Math.abs(number) < Math.pow(10, digits) && number == Math.rint(number)) {
      return Long.toString((long) number);
    }
    return formatFraction(number, digits);
  }

  private static String formatFraction(double number, int digits) {
    BigDecimal rounded =
        new BigDecimal(number)
            .round(new MathContext(digits, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (exponent >= -4 && exponent < digits) {
      return rounded.toPlainString();
    }
    String all = rounded.unscaledValue().abs().toString();
    String fraction = all.length() > 1 ? '.' + all.substring(1) : "";
    String sign = number < 0 ? "-" : "";
    return String.format(
        Locale.ROOT,
        "%s%s%se%s%02d",
        sign,
        all.charAt(0),
        fraction,
        exponent < 0 ? "-" : "+",
        Math.abs(exponent));
  }

  /** An integer argument, as strict as Redis: no spaces, no plus, no leading zeros. */
  static long integer(LuaString text) {
    return integer(text, "ERR value is not an integer or out of range");
  }

  /** An integer argument; {@code error} is the error reply for other text. */
  static long integer(LuaString text, String error) {
    String digits = string(text);
    boolean canonical = digits.equals("0") || isCanonical(digits);
    if (canonical) {
      try {
        return Long.parseLong(digits);
      } catch (NumberFormatException e) {
        // Out of range gives the same error reply as text that is not a number.
      }
    }
    throw new CommandException(error);
  }

  private static boolean isCanonical(String digits) {
    int first = digits.startsWith("-") ? 1 : 0;
    return digits.length() > first
        && digits.charAt(first) != '0'
        && digits.chars().skip(first).allMatch(c -> c >= '0' && c <= '9');
  }

  /** The sum, or Redis's error for a sum that does not fit. */
  static long sum(long a, long b) {
    try {
      return Math.addExact(a, b);
    } catch (ArithmeticException e) {
      throw new CommandException("ERR increment or decrement would overflow");
    }
  }

  /**
   * A floating-point argument, infinities included; {@code error} is the error reply for other
   * text.
   */
  static double real(String text, String error) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
      case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        double number = decimal(text);
        if (Double.isNaN(number) || Double.isInfinite(number)) {
          throw new CommandException(error);
        }
        yield number;
      }
    };
  }

  /**
   * The decimal number, or NaN for other text. Java alone would accept spaces, hex and suffixes.
   */
  private static double decimal(String text) {
    if (!text.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0)) {
      return Double.NaN;
    }
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** An argument of {@code redis.call}: text unchanged, numbers written as text, nothing else. */
  static LuaString argument(LuaValue value) {
    if (value instanceof LuaString text) {
      return text;
    }
    if (value.type() != LuaValue.TNUMBER) {
      throw new CommandException("ERR Lua redis lib command arguments must be strings or integers");
    }
    return value.isint() ? text((long) value.toint()) : text(value.todouble());
  }
}

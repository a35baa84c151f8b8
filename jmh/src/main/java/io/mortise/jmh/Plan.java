package io.mortise.jmh;

import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.report.Curve;
import io.mortise.jmh.report.Headline;
import io.mortise.jmh.report.Quantity;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Row;
import io.mortise.jmh.report.Target;
import io.mortise.jmh.report.Topic;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The questions, their contestants, and the targets. The classes that the constructor names have
 * the questions by theme.
 */
final class Plan {
  /** The unit of most questions. */
  static final String PAIRS = "lock and unlock, pairs per second";

  private final List<Asked> questions = new ArrayList<>();
  private final List<Topic> topics = new ArrayList<>();
  private final List<Curve> curves = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  Plan() {
    Alone.plan(this);
    Contended.plan(this);
    ByTurns.plan(this);
    Keeping.plan(this);
    Growth.plan(this);
  }

  List<Asked> questions() {
    return questions;
  }

  /** The questions of these names, or all questions if there are no names. */
  List<Asked> questions(List<String> names) {
    List<String> known = questions.stream().map(each -> each.question().id()).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException("no question " + name + "; there are " + known);
      }
    }
    return questions.stream()
        .filter(each -> names.isEmpty() || names.contains(each.question().id()))
        .toList();
  }

  List<Topic> topics() {
    return topics;
  }

  List<Curve> curves() {
    return curves;
  }

  List<Row> rows() {
    return rows;
  }

  /** The rows of the short page, in its order. */
  List<Headline> headlines() {
    return Headlines.all();
  }

  // How questions are added

  /** Adds a question and its bars. Returns its main figure, for Mortise on Jedis. */
  Figure ask(Asked asked, String title, String unit) {
    topics.add(new Topic(asked.question().id(), title, unit));
    return ask(asked);
  }

  /** Adds a question. Returns its main figure, for Mortise on Jedis. */
  Figure ask(Asked asked) {
    questions.add(asked);
    return new Figure(asked.question().id(), MORTISE_JEDIS);
  }

  /** Adds a line chart of a figure over one of its question's settings, and the expected shape. */
  void curve(Figure figure, String over, String title, String unit, String expected) {
    Topic topic = new Topic(figure.question(), title, unit);
    curves.add(new Curve(topic, figure.metric(), over, expected));
  }

  void row(String title, Quantity quantity, Target target) {
    rows.add(new Row(title, quantity, target));
  }

  void compare(String title, Figure subject, Target target, Contestant... bases) {
    for (Contestant base : bases) {
      row(title, new Quantity.Ratio(subject, subject.of(base)), target);
    }
  }

  static Predicate<Cell> only(Contestant... contestants) {
    Set<Contestant> set = EnumSet.copyOf(List.of(contestants));
    return cell -> set.contains(cell.contestant());
  }

  static Predicate<Cell> not(Contestant... contestants) {
    return only(contestants).negate();
  }
}

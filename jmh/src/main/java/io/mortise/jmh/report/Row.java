package io.mortise.jmh.report;

/**
 * One line of the table.
 *
 * @param question what is asked, in words
 * @param quantity the answer
 * @param target what it must be
 */
public record Row(String question, Quantity quantity, Target target) {}

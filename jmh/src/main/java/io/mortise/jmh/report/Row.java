package io.mortise.jmh.report;

/**
 * One row of the long table.
 *
 * @param question the measurement, in words
 * @param quantity the measured quantity
 * @param target the target of the quantity
 */
public record Row(String question, Quantity quantity, Target target) {}

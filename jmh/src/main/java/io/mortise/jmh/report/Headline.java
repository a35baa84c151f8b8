package io.mortise.jmh.report;

import org.jspecify.annotations.Nullable;

/**
 * One row of the short page: what a reader decides by.
 *
 * @param question the measurement, in words
 * @param of what the quantities are compared with; empty if with nothing
 * @param jedis the quantity of Mortise on Jedis, if the page has a row of it
 * @param lettuce the same on Lettuce
 */
public record Headline(
    String question, String of, @Nullable Quantity jedis, @Nullable Quantity lettuce) {}

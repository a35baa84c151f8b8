package io.mortise.jmh.report;

/**
 * A question as a chart and some lines of figures.
 *
 * @param question its id
 * @param title what is asked, in words
 * @param unit of the main figure
 */
public record Topic(String question, String title, String unit) {}

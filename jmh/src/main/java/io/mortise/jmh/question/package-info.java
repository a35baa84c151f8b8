/**
 * One class per question of one process. To ask another: a class here, and a few lines in one of
 * the classes of {@code Plan}, which say whom to ask, how often, and what the table shows.
 */
@NullMarked
package io.mortise.jmh.question;

import org.jspecify.annotations.NullMarked;

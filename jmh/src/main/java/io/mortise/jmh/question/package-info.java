/**
 * One class per question of one process. To ask another: a class here, a line in the list of
 * questions and a line for each row of the table, both in {@code Plan}.
 */
@NullMarked
package io.mortise.jmh.question;

import org.jspecify.annotations.NullMarked;

/**
 * One class for each question of one process. A new question is a class here and a few lines in one
 * of the classes of {@code Plan}. These lines give its contestants, its number of rounds, and its
 * rows in the table.
 */
@NullMarked
package io.mortise.jmh.question;

import org.jspecify.annotations.NullMarked;

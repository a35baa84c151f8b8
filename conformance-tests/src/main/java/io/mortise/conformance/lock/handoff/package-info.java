/**
 * The rules of a hold that stays in its service: handed off, retained, and given up when it is
 * wanted.
 */
@NullMarked
package io.mortise.conformance.lock.handoff;

import org.jspecify.annotations.NullMarked;

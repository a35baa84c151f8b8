/**
 * The protocol of the exclusive lock as a model that is explored state by state. Start at {@link
 * io.mortise.model.Protocol}; docs/protocol.md says what is in it and what it has shown.
 */
package io.mortise.model;

package io.smallrye.mutiny;

/** Stands for the type of that name, whose library no test needs. */
public interface Uni {}

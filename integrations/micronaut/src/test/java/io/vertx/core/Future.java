package io.vertx.core;

/** Stands for the type of that name, whose library no test needs. */
public interface Future {}

package io.micronaut.http;

/** Stands for the type of that name, whose library no test needs. */
public interface HttpResponse<B> {}

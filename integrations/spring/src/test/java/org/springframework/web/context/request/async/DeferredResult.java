package org.springframework.web.context.request.async;

/** Stands for the type of that name, whose library no test needs. */
public class DeferredResult {}

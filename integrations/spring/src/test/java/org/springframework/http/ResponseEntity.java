package org.springframework.http;

/** Stands for the type of that name, whose library no test needs. */
public class ResponseEntity<T> {}

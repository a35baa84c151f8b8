package org.springframework.web.servlet.mvc.method.annotation;

/** Stands for the type of that name, whose library no test needs. */
public class ResponseBodyEmitter {}

package javax.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of that name, which Spring 6 knows beside that of Jakarta. */
@Retention(RetentionPolicy.RUNTIME)
public @interface PostConstruct {}

package io.reactivex.rxjava3.core;

/** Stands for the type of that name, whose library no test needs. */
public interface ObservableSource {}

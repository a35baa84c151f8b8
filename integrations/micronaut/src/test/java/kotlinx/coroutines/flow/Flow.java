package kotlinx.coroutines.flow;

/** Stands for the type of that name, whose library no test needs. */
public interface Flow {}

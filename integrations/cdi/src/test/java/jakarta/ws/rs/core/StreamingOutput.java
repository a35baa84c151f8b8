package jakarta.ws.rs.core;

/** Stands for the type of that name, whose library no test needs. */
public interface StreamingOutput {}

package io.valkey.springframework.data.valkey.connection;

/** Stands for the type of this name in Spring Data Valkey. */
public interface ValkeyConnectionFactory {}

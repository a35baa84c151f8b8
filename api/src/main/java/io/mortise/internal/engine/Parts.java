package io.mortise.internal.engine;

/** What a wait for a lock or a lease needs of its service. */
record Parts(
    Store store,
    Acquisitions acquisitions,
    RedissonChannels redissonChannels,
    Releases releases,
    LeaseKeeper keeper,
    Mailbox mailbox,
    LeaseEvents events) {
  /** An acquisition is held from now on, and waits no more. */
  void took(Acquisition acquisition) {
    redissonChannels.ended(acquisition);
    keeper.watch(acquisition);
  }
}

package io.mortise.internal.engine;

/** The parts of a service that a wait for a lock or a lease needs. */
record Parts(
    Store store,
    Acquisitions acquisitions,
    RedissonChannels redissonChannels,
    Releases releases,
    PermitReturns permitReturns,
    LeaseKeeper keeper,
    Mailbox mailbox,
    LeaseEvents events,
    Voter voter,
    LostHolds lostHolds) {
  /** From now on the acquisition is held, and waits no more. */
  void took(Acquisition acquisition) {
    keeper.watch(acquisition);
    redissonChannels.ended(acquisition);
  }
}

/** Interval of lease renewals. Every append also renews the lease. */
export const RENEW_MS = 1_000
/** Duration of a lease by the database's clock. */
export const LEASE_MS = 3_000
/**
 * How long a holder answers after it sent its last successful renewal, by its monotonic clock. Shorter than the lease,
 * so that it stops before another one starts.
 */
export const RESPONSE_MS = 2_500

/** The lease of a world in a cluster is still held. */
export class LeaseHeld extends Error {
  constructor(world: string) {
    super(`the world ${world} is held by another node`)
    this.name = 'LeaseHeld'
  }
}

/**
 * A statement without a response for this long means that the connection is lost, because the lease is over. The
 * database may be silent, or a former primary that waits for its standby.
 */
export const STATEMENT_TIMEOUT_MS = LEASE_MS
/** For statements on connections with a longer timeout. */
export const LEASE_STATEMENT = { query_timeout: STATEMENT_TIMEOUT_MS } as const

/** Interval of lease renewals. Every append also renews the lease. */
export const RENEW_MS = 1_000
/** Duration of a lease by the database's clock. */
export const LEASE_MS = 3_000
/**
 * How long a holder answers after it sent its last successful renewal, by its monotonic clock. Shorter than the lease,
 * so that it stops before another one starts.
 */
export const ANSWER_MS = 2_500

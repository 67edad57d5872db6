/** The intervals of a connection to the provider. */
export const PACE = {
  /** Delay of the first retry; doubles with each retry. */
  firstWaitMs: 500,
  waitMaxMs: 30_000,
  /** Interval of looks for a source while there is none, and of checks whether the source has changed. */
  sourceMs: 100,
  /** Delay after a rejected login, because keys and plans seldom change. */
  refusedWaitMs: 60_000,
  /** Delay when another session uses the only connection of the plan. */
  fullWaitMs: 2000,
  handshakeMs: 10_000,
  /** Timeout from the connection until all subscriptions are confirmed. */
  readyMs: 20_000,
  pingMs: 10_000,
  /** A connection without messages or pongs for this long counts as dead. */
  silenceMaxMs: 25_000,
} as const satisfies Record<string, number>

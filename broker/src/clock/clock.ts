import type { Instant } from '@quipu/core'

/**
 * Timers that are due at the same instant run by rank, then in the order in which they were set: first the agenda of
 * the world, then market events (auctions, trades, quotes), then messages to subscribers, then timers of clients.
 */
export type Rank = 'agenda' | 'auction' | 'trade' | 'market' | 'feed' | 'client'

/** The clock of one world, the source of all time in it. */
export interface WorldClock {
  now(): Instant
  /** Runs once when the clock reaches `due` (soon, if that is past). Returns a function that cancels it. */
  timer(due: Instant, rank: Rank, run: () => void | Promise<void>): () => void
  close(): void
}

import type { Instant } from '@quipu/core'

/**
 * When two timers are due at the same instant they run by rank, then as they were set: what the world itself must
 * do comes first, then what the market brings (auctions, trades, quotes), then what is told to listeners.
 */
export type Rank = 'agenda' | 'auction' | 'trade' | 'market' | 'feed'

/** The time of one world. Everything the broker means by time asks this. */
export interface WorldClock {
  now(): Instant
  /** Runs once when the clock reaches `due` (soon, if that is past). Returns how to call it off. */
  timer(due: Instant, rank: Rank, run: () => void | Promise<void>): () => void
  close(): void
}

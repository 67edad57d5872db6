import type { AccountId, Ticker, WatchlistId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** A named list of symbols, in order of insertion, without duplicates. */
export type Watchlist = {
  readonly id: WatchlistId
  readonly accountId: AccountId
  /** Unique per account. */
  readonly name: string
  readonly symbols: readonly Ticker[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Selects a list by id or by name. */
export type WatchlistSelector = { readonly id: WatchlistId } | { readonly name: string }

/** Maximum lists per account, and symbols per list. */
export type WatchlistLimits = { readonly lists: number; readonly symbols: number }

export type WatchlistCommand =
  | CreateWatchlist
  | ChangeWatchlist
  | AddToWatchlist
  | RemoveFromWatchlist
  | DeleteWatchlist

export type CreateWatchlist = {
  readonly kind: 'createWatchlist'
  readonly accountId: AccountId
  readonly name: string
  readonly symbols: readonly Ticker[]
  readonly limits: WatchlistLimits
}

export type ChangeWatchlist = {
  readonly kind: 'changeWatchlist'
  readonly accountId: AccountId
  readonly which: WatchlistSelector
  readonly name?: string
  readonly symbols?: readonly Ticker[]
  readonly limits: WatchlistLimits
}

export type AddToWatchlist = {
  readonly kind: 'addToWatchlist'
  readonly accountId: AccountId
  readonly which: WatchlistSelector
  readonly symbol: Ticker
  readonly limits: WatchlistLimits
}

export type RemoveFromWatchlist = {
  readonly kind: 'removeFromWatchlist'
  readonly accountId: AccountId
  readonly which: WatchlistSelector
  readonly symbol: Ticker
}

export type DeleteWatchlist = {
  readonly kind: 'deleteWatchlist'
  readonly accountId: AccountId
  readonly which: WatchlistSelector
}

export type WatchlistEvent = WatchlistCreated | WatchlistChanged | WatchlistDeleted

export type WatchlistCreated = {
  readonly kind: 'watchlistCreated'
  readonly at: Instant
  readonly accountId: AccountId
  readonly watchlistId: WatchlistId
  readonly name: string
  readonly symbols: readonly Ticker[]
}

/** Name and symbols after the change. */
export type WatchlistChanged = {
  readonly kind: 'watchlistChanged'
  readonly at: Instant
  readonly accountId: AccountId
  readonly watchlistId: WatchlistId
  readonly name: string
  readonly symbols: readonly Ticker[]
}

export type WatchlistDeleted = {
  readonly kind: 'watchlistDeleted'
  readonly at: Instant
  readonly accountId: AccountId
  readonly watchlistId: WatchlistId
}

export type WatchlistRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'accountIsClosed' }
  | { readonly code: 'watchlistNotFound'; readonly watchlist: string }
  | { readonly code: 'watchlistNameTaken' }
  | { readonly code: 'watchlistLimitReached'; readonly limit: number }
  | { readonly code: 'watchlistFull'; readonly limit: number }
  | { readonly code: 'watchlistHasSymbol'; readonly symbol: string }
  | { readonly code: 'watchlistLacksSymbol'; readonly symbol: string }
  | { readonly code: 'assetUnknown'; readonly symbol: string }

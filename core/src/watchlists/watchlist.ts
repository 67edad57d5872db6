import type { AccountId, Ticker, WatchlistId } from '../ids.ts'
import { event, id, instant, list, text, type ValueOf } from '../schema.ts'
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

const ofWatchlist = { at: instant<Instant>(), accountId: id<AccountId>(), watchlistId: id<WatchlistId>() }
const content = { name: text(), symbols: list(id<Ticker>()) }

const watchlistCreated = event('watchlistCreated', { ...ofWatchlist, ...content })
export type WatchlistCreated = ValueOf<typeof watchlistCreated>

/** Name and symbols after the change. */
const watchlistChanged = event('watchlistChanged', { ...ofWatchlist, ...content })
export type WatchlistChanged = ValueOf<typeof watchlistChanged>

const watchlistDeleted = event('watchlistDeleted', ofWatchlist)
export type WatchlistDeleted = ValueOf<typeof watchlistDeleted>

export const watchlistEvents = [watchlistCreated, watchlistChanged, watchlistDeleted] as const
export type WatchlistEvent = ValueOf<(typeof watchlistEvents)[number]>

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

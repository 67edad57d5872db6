import type { AccountId, Ticker, WatchlistId } from '../ids.ts'
import type { ByKind } from '../kinds.ts'
import { events, id, list, text, type ValueOf } from '../schema.ts'
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

export type WatchlistCommand = ByKind<{
  createWatchlist: {
    readonly accountId: AccountId
    readonly name: string
    readonly symbols: readonly Ticker[]
    readonly limits: WatchlistLimits
  }
  changeWatchlist: OfWatchlist & {
    readonly name?: string
    readonly symbols?: readonly Ticker[]
    readonly limits: WatchlistLimits
  }
  addToWatchlist: OfWatchlist & { readonly symbol: Ticker; readonly limits: WatchlistLimits }
  removeFromWatchlist: OfWatchlist & { readonly symbol: Ticker }
  deleteWatchlist: OfWatchlist
}>
type OfWatchlist = { readonly accountId: AccountId; readonly which: WatchlistSelector }

const ofWatchlist = { accountId: id<AccountId>(), watchlistId: id<WatchlistId>() }
const content = { name: text(), symbols: list(id<Ticker>()) }

export const watchlistEvents = events({
  watchlistCreated: { ...ofWatchlist, ...content },
  /** Name and symbols after the change. */
  watchlistChanged: { ...ofWatchlist, ...content },
  watchlistDeleted: ofWatchlist,
})
export type WatchlistChanged = ValueOf<typeof watchlistEvents.watchlistChanged>

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

import { openAccountOf } from '../account/account-check.ts'
import type { AccountId, Ticker, WatchlistId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type {
  AddToWatchlist,
  ChangeWatchlist,
  CreateWatchlist,
  DeleteWatchlist,
  RemoveFromWatchlist,
  Watchlist,
  WatchlistChanged,
  WatchlistCreated,
  WatchlistDeleted,
  WatchlistRefusal,
  WatchlistSelector,
} from './watchlist.ts'

/** A repeated symbol is kept once, at its first position. */
export function createWatchlist(
  view: View,
  { at, asset, id }: Moment,
  { accountId, name, symbols: requested, limits }: CreateWatchlist,
): Result<[WatchlistCreated], WatchlistRefusal> {
  const account = openAccountOf(view, accountId, undefined)
  if (!account.ok) return account
  if (isTaken(view, accountId, name)) return fail({ code: 'watchlistNameTaken' })
  if (listsOf(view, accountId).length >= limits.lists)
    return fail({ code: 'watchlistLimitReached', limit: limits.lists })
  const symbols = checkSymbols(asset, requested, limits.symbols)
  if (!symbols.ok) return symbols
  const watchlistId = id(accountId, account.value.events, 0) as WatchlistId
  return ok([{ kind: 'watchlistCreated', at, accountId, watchlistId, name, symbols: symbols.value }])
}

export function changeWatchlist(
  view: View,
  { at, asset }: Moment,
  { accountId, which, name, symbols: requested, limits }: ChangeWatchlist,
): Result<[WatchlistChanged], WatchlistRefusal> {
  const found = changeableList(view, accountId, which)
  if (!found.ok) return found
  const list = found.value
  if (name !== undefined && name !== list.name && isTaken(view, accountId, name))
    return fail({ code: 'watchlistNameTaken' })
  const symbols = requested ? checkSymbols(asset, requested, limits.symbols) : ok(list.symbols)
  return symbols.ok ? changedEvent(at, list, symbols.value, name) : symbols
}

export function addToWatchlist(
  view: View,
  { at, asset }: Moment,
  { accountId, which, symbol, limits }: AddToWatchlist,
): Result<[WatchlistChanged], WatchlistRefusal> {
  const found = changeableList(view, accountId, which)
  if (!found.ok) return found
  const list = found.value
  if (!asset(symbol)) return fail({ code: 'assetUnknown', symbol })
  if (list.symbols.includes(symbol)) return fail({ code: 'watchlistHasSymbol', symbol })
  if (list.symbols.length >= limits.symbols) return fail({ code: 'watchlistFull', limit: limits.symbols })
  return changedEvent(at, list, [...list.symbols, symbol])
}

export function removeFromWatchlist(
  view: View,
  { at }: Moment,
  { accountId, which, symbol }: RemoveFromWatchlist,
): Result<[WatchlistChanged], WatchlistRefusal> {
  const found = changeableList(view, accountId, which)
  if (!found.ok) return found
  const list = found.value
  if (!list.symbols.includes(symbol)) return fail({ code: 'watchlistLacksSymbol', symbol })
  return changedEvent(
    at,
    list,
    list.symbols.filter((each) => each !== symbol),
  )
}

export function deleteWatchlist(
  view: View,
  { at }: Moment,
  { accountId, which }: DeleteWatchlist,
): Result<[WatchlistDeleted], WatchlistRefusal> {
  const found = changeableList(view, accountId, which)
  if (!found.ok) return found
  const list = found.value
  return ok([{ kind: 'watchlistDeleted', at, accountId, watchlistId: list.id }])
}

/** An account's lists, oldest first. */
export const listsOf = (view: View, accountId: AccountId): readonly Watchlist[] => [
  ...(view.watchlists.get(accountId)?.values() ?? []),
]

/** One of an account's lists; another account's list returns undefined. */
export const watchlistOf = (
  view: View,
  accountId: AccountId,
  which: WatchlistSelector,
): Watchlist | undefined =>
  'id' in which
    ? view.watchlists.get(accountId)?.get(which.id)
    : listsOf(view, accountId).find(({ name }) => name === which.name)

const isTaken = (view: View, accountId: AccountId, name: string): boolean =>
  watchlistOf(view, accountId, { name }) !== undefined

/** A list, if its account is open. */
function changeableList(
  view: View,
  accountId: AccountId,
  which: WatchlistSelector,
): Result<Watchlist, WatchlistRefusal> {
  const account = openAccountOf(view, accountId, undefined)
  if (!account.ok) return account
  const list = watchlistOf(view, accountId, which)
  return list
    ? ok(list)
    : fail({ code: 'watchlistNotFound', watchlist: 'id' in which ? which.id : which.name })
}

/** The symbols without duplicates, if all exist and they are not too many. */
function checkSymbols(
  asset: Moment['asset'],
  requested: readonly Ticker[],
  limit: number,
): Result<readonly Ticker[], WatchlistRefusal> {
  const symbols = [...new Set(requested)]
  const unknown = symbols.find((symbol) => !asset(symbol))
  if (unknown !== undefined) return fail({ code: 'assetUnknown', symbol: unknown })
  return symbols.length > limit ? fail({ code: 'watchlistFull', limit }) : ok(symbols)
}

const changedEvent = (
  at: WatchlistChanged['at'],
  { id, accountId, name }: Watchlist,
  symbols: readonly Ticker[],
  newName: string = name,
): Result<[WatchlistChanged], never> =>
  ok([{ kind: 'watchlistChanged', at, accountId, watchlistId: id, name: newName, symbols }])

import { openAccountOf } from '../account/account-check.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, Ticker } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Watchlist, WatchlistChanged, WatchlistRefusal, WatchlistSelector } from './watchlist.ts'

export const watchlistDeciders = {
  /** A repeated symbol is kept once, at its first position. */
  createWatchlist(view, { at, asset, id }, { accountId, name, symbols: requested, limits }) {
    const account = openAccountOf(view, accountId, undefined)
    if (!account.ok) return account
    if (isTaken(view, accountId, name)) return fail({ code: 'watchlistNameTaken' })
    if (listsOf(view, accountId).length >= limits.lists)
      return fail({ code: 'watchlistLimitReached', limit: limits.lists })
    const symbols = checkSymbols(asset, requested, limits.symbols)
    if (!symbols.ok) return symbols
    const watchlistId = id(accountId, account.value.events, 0)
    return ok([{ kind: 'watchlistCreated', at, accountId, watchlistId, name, symbols: symbols.value }])
  },

  changeWatchlist(view, { at, asset }, { accountId, which, name, symbols: requested, limits }) {
    const found = changeableList(view, accountId, which)
    if (!found.ok) return found
    const list = found.value
    if (name !== undefined && name !== list.name && isTaken(view, accountId, name))
      return fail({ code: 'watchlistNameTaken' })
    const symbols = requested ? checkSymbols(asset, requested, limits.symbols) : ok(list.symbols)
    return symbols.ok ? changedEvent(at, list, symbols.value, name) : symbols
  },

  addToWatchlist(view, { at, asset }, { accountId, which, symbol, limits }) {
    const found = changeableList(view, accountId, which)
    if (!found.ok) return found
    const list = found.value
    if (!asset(symbol)) return fail({ code: 'assetUnknown', symbol })
    if (list.symbols.includes(symbol)) return fail({ code: 'watchlistHasSymbol', symbol })
    if (list.symbols.length >= limits.symbols) return fail({ code: 'watchlistFull', limit: limits.symbols })
    return changedEvent(at, list, [...list.symbols, symbol])
  },

  removeFromWatchlist(view, { at }, { accountId, which, symbol }) {
    const found = changeableList(view, accountId, which)
    if (!found.ok) return found
    const list = found.value
    if (!list.symbols.includes(symbol)) return fail({ code: 'watchlistLacksSymbol', symbol })
    return changedEvent(
      at,
      list,
      list.symbols.filter((each) => each !== symbol),
    )
  },

  deleteWatchlist(view, { at }, { accountId, which }) {
    const found = changeableList(view, accountId, which)
    if (!found.ok) return found
    const list = found.value
    return ok([{ kind: 'watchlistDeleted', at, accountId, watchlistId: list.id }])
  },
} satisfies Deciders<WatchlistRefusal>

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

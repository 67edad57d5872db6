import { found } from '../result.ts'
import type { State, View } from '../state.ts'
import type { WatchlistEvent } from './watchlist.ts'

export function applyWatchlist(state: State, event: WatchlistEvent): void {
  const { accountId, watchlistId, at } = event
  const lists = state.watchlists.get(accountId) ?? new Map()
  switch (event.kind) {
    case 'watchlistCreated': {
      const { name, symbols } = event
      lists.set(watchlistId, { id: watchlistId, accountId, name, symbols, createdAt: at, updatedAt: at })
      state.watchlists.set(accountId, lists)
      return
    }
    case 'watchlistChanged': {
      const { name, symbols } = event
      lists.set(watchlistId, { ...found(lists.get(watchlistId), watchlistId), name, symbols, updatedAt: at })
      return
    }
    case 'watchlistDeleted':
      lists.delete(watchlistId)
      if (lists.size === 0) state.watchlists.delete(accountId)
      return
  }
}

/** Checks the invariants of watchlists, and returns each violation as text. */
export function watchlistFaults(view: View): string[] {
  const faults: string[] = []
  for (const [accountId, lists] of view.watchlists) {
    if (!view.accounts.has(accountId)) faults.push(`watchlists of ${accountId}, which does not exist`)
    const names = [...lists.values()].map(({ name }) => name)
    if (new Set(names).size < names.length) faults.push(`two watchlists of ${accountId} have one name`)
    for (const { id, symbols } of lists.values())
      if (new Set(symbols).size < symbols.length) faults.push(`watchlist ${id} has a symbol twice`)
  }
  return faults
}

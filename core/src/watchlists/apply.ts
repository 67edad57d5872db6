import type { Appliers } from '../handlers.ts'
import { found } from '../result.ts'
import type { View } from '../state/state.ts'

export const watchlistAppliers = {
  watchlistCreated(state, { accountId, watchlistId: id, name, symbols, at }) {
    const lists = state.watchlists.get(accountId) ?? new Map()
    lists.set(id, { id, accountId, name, symbols, createdAt: at, updatedAt: at })
    state.watchlists.set(accountId, lists)
  },

  watchlistChanged(state, { accountId, watchlistId, name, symbols, at }) {
    const lists = found(state.watchlists.get(accountId), accountId)
    lists.set(watchlistId, { ...found(lists.get(watchlistId), watchlistId), name, symbols, updatedAt: at })
  },

  watchlistDeleted(state, { accountId, watchlistId }) {
    const lists = state.watchlists.get(accountId)
    lists?.delete(watchlistId)
    if (lists?.size === 0) state.watchlists.delete(accountId)
  },
} satisfies Appliers

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

import type { Ticker } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'
import { type CorporateAction, momentOf } from './action.ts'
import { byDate } from './issues.ts'

/** Whose history is meant by a name: which name has it now, and from when on it counts. */
export type Meant = { readonly symbol: Ticker; readonly from?: Instant }

/**
 * A name means whoever bore it on a day, with all that came before and after under other names. Without a day, or on a
 * day on which nobody bore it, it means what was told under this very name.
 */
export function meantBy(
  actions: Iterable<CorporateAction>,
  symbol: Ticker,
  day: CivilDate | undefined,
): Meant {
  const changes = byDate(actions, 'symbolChange').filter(({ appliedAt }) => appliedAt !== undefined)
  const taken = changes.find(({ newSymbol }) => newSymbol === symbol)
  const left = changes.find(({ symbol: old }) => old === symbol)
  const isBorne = day !== undefined && (!taken || day >= taken.exDate) && (!left || day < left.exDate)
  if (!isBorne) return taken ? { symbol, from: momentOf(taken) } : { symbol }
  let latest = symbol
  for (const { symbol: old, newSymbol } of changes) if (old === latest) latest = newSymbol
  return { symbol: latest }
}

import type { Ticker } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'
import { type CorporateAction, effectiveAt } from './action.ts'
import { byDate } from './issues.ts'

/** The current symbol of the history a name refers to, and the instant from which it counts. */
export type ResolvedSymbol = { readonly symbol: Ticker; readonly from?: Instant }

/**
 * On a day, a name refers to the issuer that used it then, with its whole history under all names. Without a
 * day, or if nobody used the name on that day, only data published under this name counts.
 */
export function resolveSymbol(
  actions: Iterable<CorporateAction>,
  symbol: Ticker,
  day: CivilDate | undefined,
): ResolvedSymbol {
  const changes = byDate(actions, 'symbolChange').filter(({ appliedAt }) => appliedAt !== undefined)
  const adopted = changes.find(({ newSymbol }) => newSymbol === symbol)
  const abandoned = changes.find(({ symbol: old }) => old === symbol)
  const isInUse =
    day !== undefined && (!adopted || day >= adopted.exDate) && (!abandoned || day < abandoned.exDate)
  if (!isInUse) return adopted ? { symbol, from: effectiveAt(adopted) } : { symbol }
  let latest = symbol
  for (const { symbol: old, newSymbol } of changes) if (old === latest) latest = newSymbol
  return { symbol: latest }
}

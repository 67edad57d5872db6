import type { Ticker } from '../ids.ts'
import type { Issue, TapeChange } from '../market/kernel/changes.ts'
import { dayOf, type Instant } from '../time.ts'
import { type CorporateAction, momentOf } from './action.ts'

/** The name a symbol began under, whatever it is called now. */
export function originsOf(actions: Iterable<CorporateAction>): ReadonlyMap<Ticker, Ticker> {
  const origins = new Map<Ticker, Ticker>()
  for (const action of byDate(actions))
    if (action.kind === 'symbolChange')
      origins.set(action.newSymbol, origins.get(action.symbol) ?? action.symbol)
  return origins
}

/**
 * How actions make tapes: one entry for every name they concern. Of what happened before `madeFrom` of a symbol's
 * origin its tape knows already.
 */
export function issuesOf(
  actions: Iterable<CorporateAction>,
  tickOf: (origin: Ticker) => bigint | undefined,
  madeFrom: (origin: Ticker) => Instant | undefined = () => undefined,
): ReadonlyMap<Ticker, Issue> {
  const all = byDate(actions)
  const origins = originsOf(all)
  const originOf = (symbol: Ticker): Ticker => origins.get(symbol) ?? symbol
  const issues = new Map<Ticker, Issue>()
  for (const name of new Set([...all.map(({ symbol }) => symbol), ...origins.keys()])) {
    const origin = originOf(name)
    const tick = tickOf(origin)
    if (tick === undefined) continue
    const names = [origin, ...[...origins].filter(([, of]) => of === origin).map(([other]) => other)]
    const start = madeFrom(origin)
    const changes = all.flatMap((action) =>
      names.includes(action.symbol) && (start === undefined || momentOf(action) >= start)
        ? changeOf(action, tick)
        : [],
    )
    const end = all.find(
      ({ symbol, kind }) => symbol === name && (kind === 'symbolChange' || kind === 'delisting'),
    )
    issues.set(name, { origin, names, changes, ...(end && { endDay: dayOf(end.exDate) }) })
  }
  return issues
}

export const byDate = (actions: Iterable<CorporateAction>): readonly CorporateAction[] =>
  [...actions].sort((a, b) => (a.exDate < b.exDate ? -1 : 1))

function changeOf(action: CorporateAction, tick: bigint): TapeChange[] {
  const day = dayOf(action.exDate)
  if (action.kind === 'split')
    return [{ day, kind: 'split', ratio: Number(action.newRate) / Number(action.oldRate) }]
  if (action.kind === 'dividend')
    return [{ day, kind: 'dividend', ticks: Number(action.rate) / Number(tick) }]
  return []
}

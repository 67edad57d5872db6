import { type CivilDate, dayOf } from '../civil-date.ts'
import { definedFields } from '../defined-fields.ts'
import type { Ticker } from '../ids.ts'
import type { Issue, TapeChange } from '../market/kernel/changes.ts'
import type { Instant } from '../time.ts'
import { type CorporateAction, effectiveAt, endsSymbol } from './action.ts'

/** Maps each symbol to its first name. */
export function originsOf(actions: Iterable<CorporateAction>): ReadonlyMap<Ticker, Ticker> {
  const origins = new Map<Ticker, Ticker>()
  for (const action of byDate(actions, 'symbolChange'))
    origins.set(action.newSymbol, origins.get(action.symbol) ?? action.symbol)
  return origins
}

/**
 * Converts actions into tape changes: one entry for every name they concern. Actions before `tapeStart` are
 * already part of the origin's tape.
 */
export function issuesOf(
  actions: Iterable<CorporateAction>,
  tickOf: (origin: Ticker) => bigint | undefined,
  tapeStart: (origin: Ticker) => Instant | undefined = () => undefined,
): ReadonlyMap<Ticker, Issue> {
  const all = byDate(actions)
  const origins = originsOf(all)
  const issues = new Map<Ticker, Issue>()
  const byOrigin = Map.groupBy(all, ({ symbol }) => origins.get(symbol) ?? symbol)
  for (const [origin, actionsOfOrigin] of byOrigin) {
    const tick = tickOf(origin)
    if (tick === undefined) continue
    const start = tapeStart(origin)
    const changes = actionsOfOrigin.flatMap((action) =>
      start === undefined || effectiveAt(action) >= start ? changeOf(action, tick) : [],
    )
    const ends = actionsOfOrigin.filter(endsSymbol)
    const names = [origin, ...ends.flatMap((end) => (end.kind === 'symbolChange' ? [end.newSymbol] : []))]
    for (const name of names) {
      const end = ends.find(({ symbol }) => symbol === name)
      issues.set(name, { origin, changes, ...definedFields({ endDay: end && dayOf(end.exDate) }) })
    }
  }
  return issues
}

/** Sorted by ex-date; optionally of one kind. */
export function byDate(actions: Iterable<CorporateAction>): readonly CorporateAction[]
export function byDate<Kind extends CorporateAction['kind']>(
  actions: Iterable<CorporateAction>,
  kind: Kind,
): readonly Extract<CorporateAction, { kind: Kind }>[]
export function byDate(actions: Iterable<CorporateAction>, kind?: string): readonly CorporateAction[] {
  const wanted = [...actions].filter((action) => kind === undefined || action.kind === kind)
  return wanted.sort((a, b) => (a.exDate < b.exDate ? -1 : 1))
}

function changeOf(action: CorporateAction, tick: bigint): TapeChange[] {
  const day = dayOf(action.exDate)
  if (action.kind === 'split')
    return [{ day, kind: 'split', ratio: Number(action.newRate) / Number(action.oldRate) }]
  if (action.kind === 'dividend')
    return [{ day, kind: 'dividend', ticks: Number(action.rate) / Number(tick) }]
  return []
}

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

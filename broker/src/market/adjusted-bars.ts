import {
  type Adjustment,
  type AdjustmentStep,
  adjustedBar,
  adjustingActions,
  adjustStep,
  type Bar,
  type BarColumns,
  type BarFrame,
  type BarQuery,
  barStart,
  barsOfColumns,
  columnsOfBars,
  DAY,
  earlier,
  type Instant,
  isDayFrame,
  joinBars,
  later,
  type Ticker,
} from '@quipu/core'
import type { WorldActions } from './market-inputs.ts'
import type { MarketHistory } from './market-source.ts'

/**
 * Bars adjusted for the corporate actions of their symbol. A bar that contains an action is folded from the adjusted
 * days or minutes before and after the action.
 */
export async function adjustedColumns(
  history: MarketHistory,
  { actions }: Pick<WorldActions, 'actions'>,
  query: BarQuery,
  adjustment: Adjustment,
): Promise<readonly BarColumns[]> {
  const raw = await history.barColumns(query)
  const steps = await stepsOf(
    history,
    adjustingActions([...actions.values()], query.symbol, adjustment),
    query,
  )
  if (steps.length === 0) return raw
  const mixed = new Set(steps.map(({ at }) => mixedAt(query.frame, at)))
  const bars = raw.flatMap(barsOfColumns)
  const adjusted = bars.map((bar) =>
    mixed.has(bar.start) ? mixedBar(history, query, bar, steps) : adjustedBar(bar, steps),
  )
  return [columnsOfBars(await Promise.all(adjusted))]
}

/** Longer than any closure of the exchanges. */
const MONTH_NS = 30n * DAY

async function stepsOf(
  history: MarketHistory,
  actions: ReturnType<typeof adjustingActions>,
  { symbol }: { readonly symbol: Ticker },
): Promise<readonly AdjustmentStep[]> {
  return Promise.all(
    actions.map(async (action) => {
      const { at } = adjustStep(action, undefined)
      if (action.kind !== 'dividend') return adjustStep(action, undefined)
      const [day] = await history.bars({
        symbol,
        frame: { unit: 'day', count: 1 },
        from: earlier(at, MONTH_NS),
        to: earlier(at, 1n),
        now: at,
        sort: 'desc',
        limit: 1,
      })
      return adjustStep(action, day?.close)
    }),
  )
}

/** The start of the bar that contains an instant, unless the instant is its start. */
function mixedAt(frame: BarFrame, at: Instant): Instant | undefined {
  const start = barStart(frame, at)
  return start < at ? start : undefined
}

/** The maximum number of parts of a bar, and its maximum duration. */
const PARTS: Record<'days' | 'minutes', { readonly limit: number; readonly spanNs: bigint }> = {
  days: { limit: 400, spanNs: 400n * DAY },
  minutes: { limit: 1600, spanNs: 2n * DAY },
}

async function mixedBar(
  history: MarketHistory,
  query: BarQuery,
  bar: Bar,
  steps: readonly AdjustmentStep[],
): Promise<Bar> {
  const { symbol, now, frame } = query
  const isOfDays = isDayFrame(frame)
  const { limit, spanNs } = PARTS[isOfDays ? 'days' : 'minutes']
  const parts = await history.bars({
    symbol,
    frame: { unit: isOfDays ? 'day' : 'minute', count: 1 },
    from: bar.start,
    to: later(bar.start, spanNs),
    now,
    sort: 'asc',
    limit,
  })
  const partsOfBar = parts.filter(({ start }) => barStart(frame, start) === bar.start)
  return joinBars(
    bar.start,
    partsOfBar.map((part) => adjustedBar(part, steps)),
  )
}

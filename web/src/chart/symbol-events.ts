import type { Output } from '@quipu/sdk'
import { useEffect, useState } from 'preact/hooks'
import { quantityText } from '../format/amounts.ts'
import { decimalOfNumber } from '../format/decimal.ts'
import { dayKey, newYorkMs } from '../format/times.ts'
import { advances, nowMs } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { eventsOf } from '../live/market-events.ts'
import type { ChartEvent } from '../parts/chart-frame.ts'
import { api } from '../session/selection.ts'

type Actions = Output<'corporateActions'>['corporate_actions']
type Halts = Output<'stockHalts'>['halts'][string]

/** A split: prices before it are divided by the factor, as in the bars. */
export type Split = { readonly atMs: number; readonly factor: number }

export type SymbolEvents = { readonly events: readonly ChartEvent[]; readonly splits: readonly Split[] }

const none: SymbolEvents = { events: [], splits: [] }

/** What happened to a symbol: market events of its world, halts and corporate actions. Nothing of the future. */
export function useSymbolEvents(symbol: string): SymbolEvents {
  const connection = api.value
  const isHalted = current.value?.market.state(symbol).halted.value
  const day = nowMs.value === undefined ? undefined : dayKey(nowMs.value)
  const halts =
    useRead(
      (signal) =>
        connection?.client
          .stockHalts({ query: { symbols: [symbol] } }, { signal })
          .then((read) => haltEvents(read.halts[symbol] ?? [])),
      [connection, symbol, isHalted, advances.value],
    ) ?? []
  const actions =
    useRead(
      (signal) => {
        if (day === undefined || symbol.includes('/')) return undefined
        const query = { symbols: [symbol], start: '1990-01-01', end: day, limit: 1000 }
        return connection?.client
          .corporateActions({ query }, { signal })
          .then(({ corporate_actions: read }) => ({ events: actionEvents(read), splits: splitsOf(read) }))
      },
      [connection, symbol, day],
    ) ?? none
  const now = nowMs.value ?? 0
  // Halts are known to everybody, so those of the operator's list are not shown again.
  const known = eventsOf(symbol).filter(({ fromMs }) => !halts.some((halt) => halt.fromMs === fromMs))
  const events = [...known, ...halts, ...actions.events].filter(({ fromMs }) => fromMs <= now)
  return { events, splits: actions.splits }
}

/** Reads again when an input changes, and cancels the read before. */
function useRead<Value>(
  read: (signal: AbortSignal) => Promise<Value> | undefined,
  inputs: readonly unknown[],
): Value | undefined {
  const [found, setFound] = useState<Value>()
  useEffect(() => {
    const reading = new AbortController()
    const { signal } = reading
    const take = (value: Value | undefined) => {
      if (!signal.aborted) setFound(() => value)
    }
    read(signal)?.then(take, () => take(undefined))
    return () => reading.abort()
  }, inputs)
  return found
}

const haltEvents = (halts: Halts): readonly ChartEvent[] =>
  halts.map(({ kind, from, to }) => ({
    label: kind === 'pause' ? 'Pause' : 'Halt',
    fromMs: Date.parse(from),
    toMs: to === null ? Number.MAX_SAFE_INTEGER : Date.parse(to),
  }))

const startOfDay = (day: string): number => newYorkMs(day, '00:00')
const numberText = (value: number): string => quantityText(decimalOfNumber(value))

const actionEvents = (actions: Actions): readonly ChartEvent[] => [
  ...(actions.cash_dividends ?? []).map(({ ex_date, rate }) => ({
    label: `Dividend ${numberText(rate)}`,
    fromMs: startOfDay(ex_date),
  })),
  ...[...(actions.forward_splits ?? []), ...(actions.reverse_splits ?? [])].map(
    ({ ex_date, new_rate, old_rate }) => ({
      label: `Split ${numberText(new_rate)} for ${numberText(old_rate)}`,
      fromMs: startOfDay(ex_date),
    }),
  ),
  ...(actions.name_changes ?? []).map(({ process_date, old_symbol }) => ({
    label: `Was ${old_symbol}`,
    fromMs: startOfDay(process_date),
  })),
]

const splitsOf = ({ forward_splits = [], reverse_splits = [] }: Actions): readonly Split[] =>
  [...forward_splits, ...reverse_splits].map(({ ex_date, new_rate, old_rate }) => ({
    atMs: startOfDay(ex_date),
    factor: new_rate / old_rate,
  }))

/** A past price as the bars show it, for drawing only. */
export const adjusted = (splits: readonly Split[], atMs: number, price: number): number =>
  splits.reduce((value, split) => (atMs < split.atMs ? value / split.factor : value), price)

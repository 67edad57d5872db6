import { computed } from '@preact/signals'
import { quantityText } from '../format/amounts.ts'
import { gapMs } from '../format/times.ts'
import type { ChartEvent } from '../parts/chart-frame.ts'
import { type World, world } from '../session/selection.ts'
import { actionEvents, firstNameOf, worldActions } from './corporate-actions.ts'

export type MarketEvent = NonNullable<World['market_events']>[number]

/** `Crash −6 %`, `Halt TSLA`, `Thin NVDA` */
export function eventTitle({ kind, symbol, depth, percent, times }: MarketEvent): string {
  const about = symbol === undefined ? '' : ` ${symbol}`
  const number = (value: number | undefined) => (value === undefined ? '' : quantityText(String(value)))
  switch (kind) {
    case 'crash':
      return `Crash${about} −${number((depth ?? 0) * 100)} %`
    case 'gap':
      return `Gap${about} ${(percent ?? 0) > 0 ? '+' : ''}${number(percent)} %`
    case 'halt':
      return `Halt${about}`
    case 'pause':
      return `Pause${about}`
    case 'thin':
    case 'missing':
    case 'late':
    case 'mistakes':
      return `${kind.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())}${about}${
        times === undefined ? '' : ` ${number(times)}×`
      }`
  }
}

/** When an event begins and ends. */
export function spanOf({
  symbol,
  from,
  to,
  at,
  on,
  minutes,
}: MarketEvent): Pick<ChartEvent, 'fromMs' | 'toMs'> | undefined {
  if (from !== undefined)
    return { fromMs: Date.parse(from), toMs: to === undefined ? undefined : Date.parse(to) }
  if (at !== undefined) return { fromMs: Date.parse(at), toMs: Date.parse(at) + (minutes ?? 0) * 60_000 }
  return on === undefined ? undefined : { fromMs: gapMs(on, symbol) }
}

/** The market events and corporate actions of the world on screen, for charts and the time bar. */
export const worldEvents = computed<readonly ChartEvent[]>(() => [
  ...chartEvents(world.value?.market_events ?? []),
  ...actionEvents.value,
])

/** The market events that affect a symbol, also those of its earlier names. */
export function eventsOf(symbol: string): readonly ChartEvent[] {
  const first = (name: string) => firstNameOf(name, worldActions.value)
  const affects = (event: MarketEvent) => event.symbol === undefined || first(event.symbol) === first(symbol)
  return chartEvents((world.value?.market_events ?? []).filter(affects))
}

const chartEvents = (events: readonly MarketEvent[]): readonly ChartEvent[] =>
  events.flatMap((event) => {
    const span = spanOf(event)
    return span ? [{ label: eventTitle(event), ...span }] : []
  })

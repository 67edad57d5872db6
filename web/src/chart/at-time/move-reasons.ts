import { minuteText } from '../../format/times.ts'
import type { ChartEvent } from '../../parts/chart-frame.ts'
import { axisText } from '../../parts/scale.ts'
import type { ChartBar } from '../bar.ts'

const BEFORE = 20

/** What the page knows about the move of a bar: how far, with which volume, and which events cover it. */
export function moveReasons(
  bars: readonly ChartBar[],
  events: readonly ChartEvent[],
  atMs: number,
): readonly string[] {
  const index = bars.findLastIndex((one) => one.atMs <= atMs)
  const bar = bars[index]
  if (!bar) return ['There are no bars at this time.']
  const before = bars[index - 1]
  const endMs = bars[index + 1]?.atMs ?? atMs
  const covering = events.filter(({ fromMs, toMs }) => fromMs < endMs && (toMs ?? fromMs + 1) > bar.atMs)
  return [
    ...(before ? [moveText(bar, before, bars.slice(Math.max(index - BEFORE, 0), index))] : []),
    ...(covering.length === 0
      ? ['No market event, halt or corporate action covers this time.']
      : covering.map(eventText)),
  ]
}

function moveText(bar: ChartBar, before: ChartBar, usual: readonly ChartBar[]): string {
  const change = (bar.close / before.close - 1) * 100
  const middle = usual.map(({ volume }) => volume).sort((a, b) => a - b)[usual.length >> 1] ?? 0
  const times = middle > 0 ? `, ${axisText(bar.volume / middle, 1)} times the usual volume` : ''
  return `The bar of ${minuteText(bar.atMs)} moved ${change > 0 ? '+' : ''}${axisText(change, 2)} %${times}.`
}

const eventText = ({ label, fromMs, toMs }: ChartEvent): string =>
  toMs === undefined || toMs === Number.MAX_SAFE_INTEGER
    ? `${label} since ${minuteText(fromMs)}.`
    : `${label} from ${minuteText(fromMs)} to ${minuteText(toMs)}.`

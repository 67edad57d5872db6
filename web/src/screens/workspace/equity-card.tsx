import type { JSX } from 'preact'
import { moneyText } from '../../format/amounts.ts'
import { dayKey, dayText, minuteText } from '../../format/times.ts'
import { clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { worldEvents } from '../../live/market-events.ts'
import { LineChart } from '../../parts/line-chart.tsx'
import { Failed } from '../../parts/states.tsx'
import { history, playedHistory, type Range, range, ranges, useHistory } from './equity-history.ts'
import { liveEquity } from './live-values.ts'

/** The curve of equity over a day, a week or longer. */
export function EquityCard(): JSX.Element {
  useHistory(ranges[range.value])
  const problem = current.value?.store.problem.value
  return (
    <section class="equity-panel" aria-labelledby="equity-curve">
      <div class="equity-head">
        <h2 id="equity-curve">Equity</h2>
        <fieldset class="choice right" aria-label="Range">
          {(Object.keys(ranges) as Range[]).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={range.value === one}
              onClick={() => (range.value = one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
      </div>
      <div class="equity-chart">
        {problem && !history.value ? <Failed what="the equity curve" error={problem} /> : <EquityChart />}
      </div>
    </section>
  )
}

function EquityChart(): JSX.Element {
  const now = current.value?.store.asOf.value?.timeMs
  const [read, equity, state] = [playedHistory.value, liveEquity.value?.equity, clock.value]
  if (!read || now === undefined || !state) return <div class="chart-placeholder" aria-busy="true" />
  const isDay = range.value === '1D'
  const { points } = read
  const fromMs = points[0]?.[0] ?? now - 3_600_000
  const isSameDay = isDay && state.isOpen && dayKey(state.nextCloseMs) === dayKey(now)
  const toMs = isSameDay ? state.nextCloseMs : Math.max(now, fromMs + 60_000)
  const values = points.map(([, value]) => value)
  const lowest = values.length === 0 ? 0 : Math.min(...values)
  const time = isDay ? minuteText : dayText
  return (
    <LineChart
      of="curve"
      summary={`Equity from ${moneyText(String((points[0]?.[1] ?? 0).toFixed(2)))} at ${time(fromMs)} to ${
        equity ? moneyText(equity) : ''
      } at ${time(now)}, lowest ${moneyText(lowest.toFixed(2))}.`}
      series={[{ name: 'Equity', color: 'var(--accent)', points, area: true, tag: true }]}
      fromMs={fromMs}
      toMs={toMs}
      nowMs={isSameDay && state.isVirtual ? now : undefined}
      base={
        isDay && read.base > 0
          ? { value: read.base, label: `Last close ${moneyText(read.base.toFixed(2))}` }
          : undefined
      }
      events={worldEvents.value}
    />
  )
}

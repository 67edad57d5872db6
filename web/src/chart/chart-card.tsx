import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { volumeText } from '../format/amounts.ts'
import { addKeys } from '../keyboard.ts'
import type { Asset } from '../live/assets.ts'
import { advances, clock } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { axisText } from '../parts/scale.ts'
import { Empty, Failed } from '../parts/states.tsx'
import { VirtualRows } from '../parts/virtual-rows.tsx'
import { place, setQuery } from '../router.ts'
import { BarSource, type ChartBar } from './bar-source.ts'
import './chart.css'
import { axisDecimals, timeTexts } from './chart-options.ts'
import { ChartPlot } from './chart-plot.tsx'
import type { SymbolEvents } from './symbol-events.ts'
import { isIntraday, type Timeframe, timeframes } from './timeframes.ts'

type ChartCardProps = {
  readonly symbol: string
  readonly asset: Asset | null | undefined
  readonly history: SymbolEvents
}

/** The bars of a symbol as candles, or as a table. */
export function ChartCard({ symbol, asset, history }: ChartCardProps): JSX.Element {
  const timeframe = useTimeframe()
  const source = useBars(symbol, timeframe)
  const [isTable, setTable] = useState(false)
  const hovered = useSignal<ChartBar | undefined>(undefined)
  const bars = source?.bars.value
  const problem = source?.problem.value
  const label = bars ? summaryOf(symbol, timeframe, bars) : `${symbol}, loading`
  return (
    <section class="card chart-card" aria-labelledby="chart-title">
      <h2 class="hidden-text" id="chart-title">
        Chart
      </h2>
      <div class="chart-bar">
        <fieldset class="choice" aria-label="Bar length">
          {timeframes.map((one) => (
            <button
              key={one.label}
              type="button"
              aria-pressed={one === timeframe}
              onClick={() => choose(one)}
            >
              {one.label}
            </button>
          ))}
        </fieldset>
        <Legend isIntraday={isIntraday(timeframe)} />
        <button
          type="button"
          class="button small bare to-table"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Chart' : 'Table'}
        </button>
      </div>
      {problem && !bars ? (
        <Failed what="the chart" error={problem} retry={() => void source?.open()} />
      ) : bars?.length === 0 ? (
        <Empty icon="candles" title={`No bars of ${symbol} yet`}>
          The first trade makes the first bar.
        </Empty>
      ) : isTable && bars ? (
        <BarTable {...{ bars, timeframe, label }} onEnd={() => void source?.readOlder()} />
      ) : (
        <div class="candles">
          <BarText bar={hovered.value ?? bars?.at(-1)} timeframe={timeframe} />
          {source && (
            <ChartPlot
              key={`${symbol} ${timeframe.label}`}
              {...{ symbol, timeframe, source, label, hovered, history }}
              increment={asset?.price_increment}
              isVirtual={clock.value?.isVirtual ?? false}
            />
          )}
        </div>
      )}
    </section>
  )
}

const choose = (one: Timeframe): void => setQuery({ bars: one.label === '5m' ? undefined : one.label })

/** The timeframe of the address. */
const timeframeNow = (): Timeframe => {
  const wanted = place.value.query.get('bars') ?? '5m'
  return timeframes.find(({ label }) => label === wanted) ?? timeframes[1]
}

/** The timeframe of the address; `[` and `]` change it. */
function useTimeframe(): Timeframe {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const next = timeframes[timeframes.indexOf(timeframeNow()) + step]
      if (next) choose(next)
    }
    return addKeys([
      { key: '[', does: 'Shorter bars', run: move(-1) },
      { key: ']', does: 'Longer bars', run: move(1) },
    ])
  }, [])
  return timeframeNow()
}

/** The bars from the API and the stream. */
function useBars(symbol: string, timeframe: Timeframe): BarSource | undefined {
  const live = current.value
  const source = useMemo(
    () => live && new BarSource(live.store.connection, symbol, timeframe),
    [live, symbol, timeframe],
  )
  useEffect(() => {
    if (!source) return undefined
    void source.open()
    const end = live!.market.onMessages((messages) => source.take(messages))
    return () => {
      end()
      source.close()
    }
  }, [source])
  const staleSince = live?.store.orderStream.staleSince.value
  useEffect(() => {
    // Time moved, or messages were missed.
    if (source?.bars.peek() && staleSince === undefined) void source.readTail()
  }, [source, advances.value, staleSince])
  return source
}

const Legend = ({ isIntraday }: { readonly isIntraday: boolean }): JSX.Element => (
  <div class="legend wide-only right">
    {isIntraday && (
      <span>
        <i class="of-warn" />
        VWAP
      </span>
    )}
    <span>
      <i class="dashed" />
      open order, drag to replace
    </span>
    <span class="nowrap">
      <b class="bought">▲</b> bought <b>▼</b> sold
    </span>
  </div>
)

/** The values of the bar under the pointer, or of the newest one. */
const BarText = ({
  bar,
  timeframe,
}: {
  readonly bar: ChartBar | undefined
  readonly timeframe: Timeframe
}): JSX.Element => (
  <div class="bar-text wide-only" aria-hidden="true">
    {bar && (
      <>
        <span class="faint">{timeTexts(timeframe, bar.atMs)}</span>
        {(['open', 'high', 'low', 'close'] as const).map((field) => (
          <span key={field}>
            {field[0]!.toUpperCase()} <b>{axisText(bar[field], axisDecimals(bar[field]))}</b>
          </span>
        ))}
        <span>
          V <b>{volumeText(bar.volume)}</b>
        </span>
      </>
    )}
  </div>
)

/** What a screen reader says about the chart. */
function summaryOf(symbol: string, timeframe: Timeframe, bars: readonly ChartBar[]): string {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return `${symbol}, no bars`
  const lowest = bars.reduce((a, b) => (b.low < a.low ? b : a))
  const text = (value: number) => axisText(value, axisDecimals(value))
  const time = (bar: ChartBar) => timeTexts(timeframe, bar.atMs)
  return `${symbol}, ${timeframe.name} bars from ${time(first)} to ${time(last)}. Low ${text(lowest.low)} at ${time(
    lowest,
  )}, last ${text(last.close)}. The button Table shows the numbers.`
}

/** The bars behind the chart, newest first. */
function BarTable({
  bars,
  timeframe,
  label,
  onEnd,
}: {
  readonly bars: readonly ChartBar[]
  readonly timeframe: Timeframe
  readonly label: string
  readonly onEnd: () => void
}): JSX.Element {
  const items = bars.toReversed()
  const price = (value: number): string => axisText(value, axisDecimals(value))
  return (
    <VirtualRows
      class="bar-table"
      items={items}
      keyOf={({ atMs }) => String(atMs)}
      label={label}
      onEnd={onEnd}
      head={
        <tr>
          <th>Time in New York</th>
          {['Open', 'High', 'Low', 'Close', 'Volume'].map((name) => (
            <th key={name} class="r">
              {name}
            </th>
          ))}
        </tr>
      }
      row={({ atMs, open, high, low, close, volume }) => (
        <tr key={atMs}>
          <td>{timeTexts(timeframe, atMs)}</td>
          {[open, high, low, close].map((value, index) => (
            <td key={index} class="r n">
              {price(value)}
            </td>
          ))}
          <td class="r n">{volumeText(volume)}</td>
        </tr>
      )}
    />
  )
}

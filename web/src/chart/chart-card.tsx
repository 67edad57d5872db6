import { type Signal, useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Asset } from '../live/assets.ts'
import { clock } from '../live/clock.ts'
import { axisText } from '../parts/scale.ts'
import { Empty, Failed } from '../parts/states.tsx'
import type { ChartBar } from './bar.ts'
import type { BarSource } from './bar-source.ts'
import { BarTable } from './bar-table.tsx'
import './chart.css'
import {
  chooseRange,
  chooseScale,
  chooseTimeframe,
  comparedNow,
  isLogarithmicNow,
  rangeNow,
  useTimeframe,
} from './chart-address.ts'
import { axisDecimals, timeTexts } from './chart-options.ts'
import { ChartPlot } from './chart-plot.tsx'
import { Legend } from './indicators/chart-legend.tsx'
import { CompareMenu, useWatched } from './indicators/compare-menu.tsx'
import { type ChartLine, linesOf } from './indicators/indicator-lines.ts'
import { IndicatorMenu } from './indicators/indicator-menu.tsx'
import { areIndicatorsHidden, indicators } from './indicators/indicator-settings.ts'
import { ranges } from './ranges.ts'
import type { SymbolEvents } from './symbol-events.ts'
import { isIntraday, type Timeframe, timeframes } from './timeframes.ts'
import { useBars } from './use-bars.ts'

type ChartCardProps = {
  readonly symbol: string
  readonly asset: Asset | null | undefined
  readonly history: SymbolEvents
  /** What is in front of the bar lengths: the symbol with its price. */
  readonly head?: ComponentChildren
}

/** The bars of a symbol as candles, or as a table. */
export function ChartCard({ symbol, asset, history, head }: ChartCardProps): JSX.Element {
  const timeframe = useTimeframe()
  const source = useBars(symbol, timeframe)
  const [isTable, setTable] = useState(false)
  const hovered = useSignal<ChartBar | undefined>(undefined)
  const leftMs = useSignal(0)
  const lines = useLines(symbol, timeframe, source, leftMs)
  const bars = source?.bars.value
  const problem = source?.problem.value
  const label = bars ? summaryOf(symbol, timeframe, bars) : `${symbol}, loading`
  return (
    <section class="card chart-card" aria-labelledby="chart-title">
      <h2 class="hidden-text" id="chart-title">
        Chart
      </h2>
      <ChartBarRow {...{ symbol, timeframe, head, isTable, setTable }} />
      {problem && !bars ? (
        <Failed what="the chart" error={problem} retry={() => void source?.open()} />
      ) : bars?.length === 0 ? (
        <Empty icon="candles" title={`No bars of ${symbol} yet`}>
          The first trade makes the first bar.
        </Empty>
      ) : isTable && bars ? (
        <BarTable {...{ bars, timeframe, label }} onEnd={() => void source?.readOlder()} />
      ) : (
        <>
          <Legend bars={bars ?? []} lines={lines.value} hovered={hovered.value} timeframe={timeframe} />
          <div class="candles">
            {source && (
              <ChartPlot
                key={`${symbol} ${timeframe.label}`}
                {...{ symbol, timeframe, source, label, hovered, history, lines, leftMs }}
                range={rangeNow()}
                isLogarithmic={isLogarithmicNow()}
                increment={asset?.price_increment}
                isVirtual={clock.value?.isVirtual ?? false}
              />
            )}
          </div>
          <ScaleRow />
        </>
      )}
    </section>
  )
}

type BarRowProps = {
  readonly symbol: string
  readonly timeframe: Timeframe
  readonly head: ComponentChildren
  readonly isTable: boolean
  readonly setTable: (isTable: boolean) => void
}

/** What is above the chart: bar lengths, indicators, the comparison, the table. */
const ChartBarRow = ({ symbol, timeframe, head, isTable, setTable }: BarRowProps): JSX.Element => (
  <div class="chart-bar">
    {head}
    <fieldset class="choice" aria-label="Bar length">
      {timeframes.map((one) => (
        <button
          key={one.label}
          type="button"
          aria-pressed={one === timeframe}
          onClick={() => chooseTimeframe(one)}
        >
          {one.label}
        </button>
      ))}
    </fieldset>
    <div class="chart-menus">
      <IndicatorMenu />
      <CompareMenu symbol={symbol} />
      <button
        type="button"
        class="button small bare to-table"
        aria-pressed={isTable}
        onClick={() => setTable(!isTable)}
      >
        {isTable ? 'Chart' : 'Table'}
      </button>
    </div>
  </div>
)

/** What is below the chart: ranges and the scale. */
function ScaleRow(): JSX.Element {
  const range = rangeNow()
  const isLogarithmic = isLogarithmicNow()
  return (
    <div class="scale-row">
      <fieldset class="ranges" aria-label="Range">
        {ranges.map((one) => (
          <button
            key={one.label}
            type="button"
            title={`Show ${one.about}`}
            aria-pressed={one === range}
            onClick={() => chooseRange(one)}
          >
            {one.label}
          </button>
        ))}
      </fieldset>
      <span class="faint small wide-only">
        <kbd>Shift F10</kbd> or a right click acts at a time
      </span>
      <button
        type="button"
        class="ranges-scale"
        aria-pressed={isLogarithmic}
        title="Logarithmic scale: equal distances are equal gains"
        onClick={() => chooseScale(!isLogarithmic)}
      >
        Log
      </button>
    </div>
  )
}

/** The lines of the indicators and of the comparison; none while the viewer hides them. */
function useLines(
  symbol: string,
  timeframe: Timeframe,
  source: BarSource | undefined,
  leftMs: Signal<number>,
) {
  const wanted = comparedNow()
  const compared = wanted === symbol ? undefined : wanted
  const others = useBars(compared, timeframe)
  useWatched(compared)
  const [firstMs, isRead] = [source?.bars.value?.[0]?.atMs, others?.bars.value !== undefined]
  useEffect(() => {
    // The line is as long as the candles.
    if (firstMs !== undefined && isRead) void others?.readBack(firstMs)
  }, [others, firstMs, isRead])
  const shown = useSignal({ source, others, compared, timeframe })
  if (shown.peek().source !== source || shown.peek().others !== others)
    shown.value = { source, others, compared, timeframe }
  return useComputed<readonly ChartLine[]>(() => {
    const { source: own, others: second, compared: name, timeframe: length } = shown.value
    if (areIndicatorsHidden.value) return []
    const secondBars = second?.bars.value
    return linesOf(
      own?.bars.value ?? [],
      indicators.value,
      isIntraday(length),
      name && secondBars ? { symbol: name, bars: secondBars } : undefined,
      leftMs.value,
    )
  })
}

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

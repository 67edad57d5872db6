import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { numberOf } from '../format/decimal.ts'
import { current } from '../live/current.ts'
import { oneAtATime } from '../live/one-at-a-time.ts'
import { Failed } from '../parts/states.tsx'
import { loadAgain } from '../session/window.ts'
import { TimeMenu } from './at-time/time-menu.tsx'
import { snapped, useTimePoint } from './at-time/time-point.ts'
import type { ChartBar } from './bar.ts'
import type { BarSource } from './bar-source.ts'
import { type CandleChart, openChart } from './candle-chart.ts'
import type { ChartView } from './chart-view.ts'
import { DraftLine } from './draft-line.tsx'
import { EventMarks, Future, Ghosts, placeEvents } from './event-marks.tsx'
import { fillMarks } from './fill-marks.ts'
import { FillSpots } from './fill-spots.tsx'
import type { ChartLine } from './indicators/indicator-lines.ts'
import { ghostsOf, levelsOf, type OrderLevel } from './order-levels.ts'
import { OrderLine } from './order-line.tsx'
import { firstOf, type Range } from './ranges.ts'
import type { SymbolEvents } from './symbol-events.ts'
import type { Timeframe } from './timeframes.ts'

type ChartPlotProps = {
  readonly symbol: string
  readonly timeframe: Timeframe
  readonly source: BarSource
  /** What a screen reader says. */
  readonly label: string
  readonly hovered: Signal<ChartBar | undefined>
  readonly increment: string | undefined
  readonly history: SymbolEvents
  readonly isVirtual: boolean
  readonly lines: ReadonlySignal<readonly ChartLine[]>
  /** The start of the first bar in view. */
  readonly leftMs: Signal<number>
  readonly range: Range | undefined
  readonly isLogarithmic: boolean
}

/** The canvas with the candles, and over it the events and the open orders. */
export function ChartPlot(props: ChartPlotProps): JSX.Element {
  const { symbol, timeframe, source, label, increment, isVirtual, hovered } = props
  const element = useRef<HTMLDivElement>(null)
  const { chart, view, problem } = useChart(props, element)
  const { events, splits } = props.history
  const ended = useEndedOrders(symbol)
  const open = useOpenOrders(symbol)
  const all = useMemo(() => levelsOf(open), [open])
  const prices = useMemo(() => [...new Set(all.map(({ price }) => numberOf(price)))], [all])
  useEffect(() => chart?.setLevels(prices), [chart, prices])
  const levels = nearest(all, source.bars.value?.at(-1)?.close)
  const filled = [...ended, ...open].filter(({ filled_qty: quantity }) => quantity !== '0')
  const filledText = filled.map(({ id, filled_qty: quantity }) => `${id} ${quantity}`).join()
  const fills = useMemo(() => fillMarks(filled, timeframe, splits), [filledText, splits])
  useEffect(() => chart?.setFills(fills), [chart, fills])
  const ghosts = useMemo(() => ghostsOf(ended), [ended])
  const shownEvents = useMemo(() => (view ? placeEvents(events, view) : []), [events, view])
  const menu = useTimePoint(element, view, source, hovered, chart, snapped(timeframe, symbol.includes('/')))
  if (problem) return <Failed what="the chart" error={problem} retry={loadAgain} />
  return (
    <>
      <div
        ref={element}
        class="plot"
        role="img"
        tabIndex={0}
        aria-label={label}
        aria-busy={source.bars.value === undefined}
      />
      {view && (
        <div class="overlay" style={{ height: `${view.height}px` }}>
          {/* Clips what reaches over the price axis. */}
          <div class="clip" style={{ width: `${view.width}px` }}>
            {isVirtual && <Future view={view} />}
            <EventMarks events={shownEvents} />
            <Ghosts ghosts={ghosts} view={view} splits={splits} />
          </div>
          <FillSpots
            fills={fills}
            view={view}
            hereMs={hovered.value?.atMs}
            taken={shownEvents.flatMap(({ name }) => name ?? [])}
          />
          <DraftLine symbol={symbol} view={view} />
          {levels.map((level) => (
            <OrderLine key={level.key} level={level} view={view} increment={increment} />
          ))}
          {levels.length < all.length && (
            <p class="more-lines">
              The nearest {levels.length} of {all.length} order prices
            </p>
          )}
        </div>
      )}
      {view && menu.point && (
        <TimeMenu
          key={menu.point.atMs}
          {...{ symbol, view, events }}
          point={menu.point}
          bars={source.bars.value ?? []}
          close={menu.close}
        />
      )}
    </>
  )
}

/** The chart library, drawing the bars of the source. */
function useChart(
  { symbol, timeframe, source, hovered, lines, leftMs, range, isLogarithmic }: ChartPlotProps,
  element: { readonly current: HTMLDivElement | null },
): { chart: CandleChart | undefined; view: ChartView | undefined; problem: Error | undefined } {
  const chart = useSignal<CandleChart | undefined>(undefined)
  const [view, setView] = useState<ChartView>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    let isOver = false
    const watchers = {
      onView: (shown: ChartView) => {
        setView(shown)
        leftMs.value = shown.fromMs
      },
      onHover: (bar: ChartBar | undefined) => {
        hovered.value = bar
      },
      onStart: () => void source.readOlder(),
    }
    openChart(element.current!, timeframe, watchers).then((opened) => {
      if (isOver) opened.close()
      else chart.value = opened
    }, setProblem)
    return () => {
      isOver = true
      hovered.value = undefined
      chart.peek()?.close()
    }
  }, [])
  useSignalEffect(() => {
    const bars = source.bars.value
    if (bars && bars.length > 0) chart.value?.setBars(bars)
    chart.value?.setLines(lines.value)
  })
  const isRead = source.bars.value !== undefined
  useEffect(() => chart.value?.setLogarithmic(isLogarithmic), [chart.value, isLogarithmic])
  useEffect(() => {
    if (range && isRead && chart.value) void showRange(chart.value, source, range, symbol)
  }, [chart.value, range, isRead])
  return { chart: chart.value, view, problem }
}

/** Shows a range, after its older bars are read. */
async function showRange(chart: CandleChart, source: BarSource, range: Range, symbol: string): Promise<void> {
  const last = source.bars.peek()?.at(-1)
  if (last && range.days > 5) await source.readBack(last.atMs - range.days * 86_400_000)
  if (chart.isClosed) return
  chart.setBars(source.bars.peek() ?? [])
  chart.showFrom(firstOf(range, source.bars.peek() ?? [], !symbol.includes('/')))
}

/** The open orders of a symbol. It is the same list while none of them changes. */
function useOpenOrders(symbol: string): readonly Order[] {
  const before = useRef<readonly Order[]>([])
  const open = [...(current.value?.store.openOrders.value?.values() ?? [])].filter(
    (order) => order.symbol === symbol,
  )
  const isSame =
    open.length === before.current.length && open.every((order, at) => order === before.current[at])
  if (!isSame) before.current = open
  return before.current
}

/** More lines would cover the candles, and each one costs time in every draw. */
const LINES_MAX = 30

/** The prices that are nearest to the last one. */
function nearest(levels: readonly OrderLevel[], last = 0): readonly OrderLevel[] {
  if (levels.length <= LINES_MAX) return levels
  const distance = ({ price }: OrderLevel): number => Math.abs(numberOf(price) - last)
  return levels.toSorted((a, b) => distance(a) - distance(b)).slice(0, LINES_MAX)
}

const ORDERS_MAX = 500
/** A busy program ends orders all the time, and each read has all of them. */
const PAUSE_MS = 1000

/** The ended orders of a symbol, read again after each update of one. */
function useEndedOrders(symbol: string): readonly Order[] {
  const [orders, setOrders] = useState<readonly Order[]>([])
  const store = current.value?.store
  useEffect(() => {
    if (!store) return undefined
    setOrders([])
    const query = { status: 'closed' as const, symbols: [symbol], limit: ORDERS_MAX }
    const read = oneAtATime(
      () => store.connection.client.listOrders({ query }).then(setOrders, () => undefined),
      PAUSE_MS,
    )
    read()
    return store.orderStream.follow({
      take: (updates) => {
        if (updates.some(({ order }) => order.symbol === symbol)) read()
      },
      readAgain: read,
    })
  }, [store, symbol])
  return orders
}

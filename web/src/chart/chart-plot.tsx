import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { quantityText } from '../format/amounts.ts'
import { add, decimal, numberOf } from '../format/decimal.ts'
import { current } from '../live/current.ts'
import { oneAtATime } from '../live/one-at-a-time.ts'
import { Failed } from '../parts/states.tsx'
import type { BarSource, ChartBar } from './bar-source.ts'
import { type CandleChart, type FillMark, openChart } from './candle-chart.ts'
import type { ChartView } from './chart-view.ts'
import { EventMarks, Future, Ghosts } from './event-marks.tsx'
import { ghostsOf, levelsOf } from './order-levels.ts'
import { OrderLine } from './order-line.tsx'
import { adjusted, type Split, type SymbolEvents } from './symbol-events.ts'
import { startOf, type Timeframe } from './timeframes.ts'

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
}

/** The canvas with the candles, and over it the events and the open orders. */
export function ChartPlot(props: ChartPlotProps): JSX.Element {
  const { symbol, timeframe, source, label, increment, isVirtual } = props
  const element = useRef<HTMLDivElement>(null)
  const { chart, view, problem } = useChart(props, element)
  const { events, splits } = props.history
  const ended = useEndedOrders(symbol)
  const open = [...(current.value?.store.openOrders.value?.values() ?? [])]
  const levels = levelsOf(open, symbol)
  const prices = levels.map(({ price }) => numberOf(price))
  useEffect(() => chart?.setLevels(prices), [chart, prices.join()])
  const own = [...ended, ...open.filter((order) => order.symbol === symbol)]
  useEffect(
    () => chart?.setFills(fillMarks(own, timeframe, splits)),
    [chart, splits, own.map(({ id, filled_qty }) => `${id} ${filled_qty}`).join()],
  )
  if (problem) return <Failed what="the chart" error={problem} retry={() => location.reload()} />
  return (
    <>
      <div
        ref={element}
        class="plot"
        role="img"
        aria-label={label}
        aria-busy={source.bars.value === undefined}
      />
      {view && (
        <div class="overlay" style={{ height: `${view.height}px` }}>
          {/* Clips what reaches over the price axis. */}
          <div class="clip" style={{ width: `${view.width}px` }}>
            {isVirtual && <Future view={view} />}
            <EventMarks events={events} view={view} />
            <Ghosts ghosts={ghostsOf(ended)} view={view} splits={splits} />
          </div>
          {levels.map((level) => (
            <OrderLine key={level.key} level={level} view={view} increment={increment} />
          ))}
        </div>
      )}
    </>
  )
}

/** The chart library, drawing the bars of the source. */
function useChart(
  { timeframe, source, hovered }: ChartPlotProps,
  element: { readonly current: HTMLDivElement | null },
): { chart: CandleChart | undefined; view: ChartView | undefined; problem: Error | undefined } {
  const chart = useSignal<CandleChart | undefined>(undefined)
  const [view, setView] = useState<ChartView>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    let isOver = false
    const watchers = {
      onView: setView,
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
  })
  return { chart: chart.value, view, problem }
}

const ORDERS_MAX = 500

/** The ended orders of a symbol, read again after each update of one. */
function useEndedOrders(symbol: string): readonly Order[] {
  const [orders, setOrders] = useState<readonly Order[]>([])
  const store = current.value?.store
  useEffect(() => {
    if (!store) return undefined
    setOrders([])
    const query = { status: 'closed' as const, symbols: [symbol], limit: ORDERS_MAX }
    const read = oneAtATime(() =>
      store.connection.client.listOrders({ query }).then(setOrders, () => undefined),
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

/** The fills of orders: one mark per bar and side. */
function fillMarks(
  orders: Iterable<Order>,
  timeframe: Timeframe,
  splits: readonly Split[],
): readonly FillMark[] {
  const marks = new Map<string, FillMark & { readonly quantity: string }>()
  for (const { filled_at, updated_at, filled_avg_price, filled_qty, side, symbol } of orders) {
    const at = filled_at ?? updated_at
    if (filled_avg_price == null || at == null || Number(filled_qty) === 0) continue
    const atMs = startOf(timeframe, Date.parse(at), symbol.includes('/'))
    const key = `${atMs} ${side}`
    const before = marks.get(key)
    const total = add(decimal(filled_qty), decimal(before?.quantity ?? '0'))
    const text = quantityText(total)
    marks.set(key, {
      atMs,
      price: before?.price ?? adjusted(splits, Date.parse(at), numberOf(decimal(filled_avg_price))),
      side: side === 'buy' ? 'buy' : 'sell',
      text,
      quantity: text.replaceAll(',', ''),
    })
  }
  return [...marks.values()]
}

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { priceText } from '../../format/amounts.ts'
import { minuteText, secondText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { eventsOf } from '../../live/market-events.ts'
import type { Level, Mark, Point } from '../../parts/chart-frame.ts'
import { LineChart } from '../../parts/line-chart.tsx'
import { api } from '../../session/selection.ts'
import type { OrderState } from './order-state.ts'

const MARGIN_MS = 5 * 60_000
const MINUTES_MAX = 2 * 390

/** The market while the order worked: the low of each minute if the order waits for a lower price, otherwise the high. */
export function OrderChart({ state }: { readonly state: OrderState }): JSX.Element | null {
  const { order, explanation } = state
  const fromMs = Date.parse(order.submitted_at ?? order.created_at)
  const ended =
    order.filled_at ?? order.canceled_at ?? order.expired_at ?? order.failed_at ?? order.replaced_at
  const now = nowMs.value ?? Date.now()
  const isLow = (order.side === 'buy') === (order.stop_price == null)
  const endMs = ended == null ? now : Date.parse(ended)
  const points = useMinutes(order.symbol, isLow, fromMs - MARGIN_MS, endMs + MARGIN_MS)
  if (points.length < 2) return null
  const near = explanation.counterfactual.find(({ code }) => code === 'limitInLife')
  const marks: Mark[] = explanation.steps
    .filter(({ code }) => code === 'filled')
    .map(({ at, numbers }) => ({
      atMs: Date.parse(at),
      value: Number(numbers['price']),
      color: 'var(--accent)',
      label: `${numbers['qty']} at ${priceText(numbers['price'] ?? '0')}`,
    }))
  if (near)
    marks.push({
      atMs: Date.parse(near.at),
      value: Number(near.numbers['limit_price']),
      color: 'var(--sim)',
      hollow: true,
      label: `${priceText(near.numbers['limit_price'] ?? '0')} at ${secondText(near.at)}`,
    })
  const levels: Level[] = [
    ...(order.limit_price == null
      ? []
      : [
          {
            value: Number(order.limit_price),
            label: `Limit ${priceText(order.limit_price)}`,
            color: 'var(--ink)',
            fromMs,
            toMs: endMs,
          },
        ]),
    ...(order.stop_price == null
      ? []
      : [
          {
            value: Number(order.stop_price),
            label: `Stop ${priceText(order.stop_price)}`,
            color: 'var(--ink)',
            fromMs,
            toMs: endMs,
          },
        ]),
  ]
  return (
    <LineChart
      of={`minutes_${isLow ? 'low' : 'high'}.${order.symbol}`}
      summary={`${order.symbol} from ${minuteText(points[0]![0])} to ${minuteText(points.at(-1)![0])}${
        order.limit_price == null ? '' : `, limit ${priceText(order.limit_price)}`
      }.`}
      series={[
        {
          name: isLow ? 'Low of the minute' : 'High of the minute',
          color: 'var(--accent)',
          points,
          label: isLow ? 'Low of each minute' : 'High of each minute',
        },
      ]}
      fromMs={points[0]![0]}
      toMs={Math.max(points.at(-1)![0], endMs)}
      levels={levels}
      marks={marks}
      events={eventsOf(order.symbol)}
      places={2}
      height={220}
    />
  )
}

function useMinutes(symbol: string, isLow: boolean, fromMs: number, toMs: number): readonly Point[] {
  const [points, setPoints] = useState<readonly Point[]>([])
  const connection = api.value
  const minute = Math.floor(toMs / 60_000)
  useEffect(() => {
    if (!connection) return
    const isLong = toMs - fromMs > MINUTES_MAX * 60_000
    const query = {
      timeframe: isLong ? '1Hour' : '1Min',
      start: new Date(fromMs).toISOString(),
      end: new Date(toMs).toISOString(),
      limit: 1000,
    }
    const read = symbol.includes('/')
      ? connection.client
          .cryptoBars({ params: { loc: 'us' }, query: { ...query, symbols: [symbol] } })
          .then(({ bars }) => bars[symbol] ?? [])
      : connection.client.stockBarSingle({ params: { symbol }, query }).then(({ bars }) => bars ?? [])
    read.then(
      (bars) => setPoints(bars.map(({ t, l, h }) => [Date.parse(t), isLow ? l : h])),
      () => setPoints([]),
    )
  }, [connection, symbol, isLow, Math.floor(fromMs / 60_000), minute])
  return points
}

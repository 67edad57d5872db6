import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { dayKey } from '../../format/times.ts'
import { advances, clock, nowMs } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { untilRead } from '../../live/repeat.ts'
import type { Connection } from '../../session/connections.ts'
import { type Curves, type Minute, withMinutes } from './quarter-closes.ts'

const SESSION_MS = 6.5 * 3_600_000
const curves = signal<Curves>(new Map())

/** The prices of today by symbol, for the small curves. */
export const dayCurves = computed<ReadonlyMap<string, readonly number[]>>(
  () => new Map([...curves.value].map(([symbol, bars]) => [symbol, [...bars.values()]])),
)

/** Reads the curves of symbols, and lets them grow with the bars of the stream. */
export function useDayCurves(symbols: readonly string[]): void {
  const live = current.value
  const key = symbols.toSorted().join()
  const day = nowMs.value === undefined ? undefined : dayKey(nowMs.value)
  const staleSince = live?.store.orderStream.staleSince.value
  useEffect(() => {
    if (!live || key === '' || day === undefined || staleSince !== undefined) return undefined
    const all = key.split(',')
    // A bot that moves the clock causes many reads. One that is overtaken must not delay the newest.
    const reading = new AbortController()
    const { signal } = reading
    const untilMs = clock.peek()?.nowMs ?? 0
    const early: Minute[] = []
    let isRead = false
    untilRead(() => readCurves(live.store.connection, all, startOfDay(day), signal), signal).then(
      (read) => {
        if (signal.aborted) return
        isRead = true
        curves.value = withMinutes(read, early, untilMs)
      },
      () => undefined,
    )
    const endWatch = live.market.watch(['bars'], all)
    const endMessages = live.market.onMessages((messages) => {
      const minutes = messages.flatMap((message) => (message.T === 'b' ? [message] : []))
      if (!isRead) early.push(...minutes)
      curves.value = withMinutes(curves.peek(), minutes, untilMs)
    })
    return () => {
      reading.abort()
      endWatch()
      endMessages()
    }
  }, [live, key, day, staleSince, advances.value])
}

async function readCurves(
  { client }: Connection,
  symbols: readonly string[],
  start: string,
  signal: AbortSignal,
): Promise<Curves> {
  const pairs = symbols.filter((one) => one.includes('/'))
  const stocks = symbols.filter((one) => !one.includes('/'))
  const query = { timeframe: '15Min', start, limit: 10_000 }
  const pages = await Promise.all([
    stocks.length === 0 ? undefined : client.stockBars({ query: { ...query, symbols: stocks } }, { signal }),
    pairs.length === 0
      ? undefined
      : client.cryptoBars({ params: { loc: 'us' }, query: { ...query, symbols: pairs } }, { signal }),
  ])
  const all = pages.flatMap((page) => (page ? Object.entries(page.bars) : []))
  return new Map(all.map(([symbol, bars]) => [symbol, new Map(bars.map(({ t, c }) => [Date.parse(t), c]))]))
}

/** The open of today's session while the market is open, otherwise the begin of the day. */
function startOfDay(day: string): string {
  const state = clock.peek()
  return state?.isOpen && dayKey(state.nextCloseMs) === day
    ? new Date(state.nextCloseMs - SESSION_MS).toISOString()
    : day
}

import { type ReadonlySignal, signal } from '@preact/signals'
import type { MarketChannel, MarketMessage, Output } from '@quipu/sdk'
import { useEffect, useMemo } from 'preact/hooks'
import { advances, clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import type { Connection } from '../../session/connections.ts'

/** Above this speed each trade would be too much for a browser; bars of a minute are enough. */
const TRADES_SPEED_MAX = 60

export type Snapshot = Pick<
  Output<'stockSnapshotSingle'>,
  'latestTrade' | 'latestQuote' | 'dailyBar' | 'prevDailyBar'
>

/** Subscribes to symbols while the screen is open. */
export function useLive(symbols: readonly string[], channels: readonly MarketChannel[]): void {
  const live = current.value
  const isFast = (clock.value?.speed ?? 1) > TRADES_SPEED_MAX
  const wanted = [...new Set(channels.map((one) => (isFast && one === 'trades' ? 'bars' : one)))].join()
  useEffect(() => {
    if (!live || symbols.length === 0) return undefined
    return live.market.watch(wanted.split(',') as MarketChannel[], symbols)
  }, [live, symbols.join(), wanted])
}

/** Reads the snapshots of symbols, again after the clock was moved, and keeps the days live. */
export function useSnapshots(
  symbols: readonly string[],
): ReadonlySignal<ReadonlyMap<string, Snapshot> | Error | undefined> {
  const state = useMemo(() => signal<ReadonlyMap<string, Snapshot> | Error | undefined>(undefined), [])
  const live = current.value
  const key = symbols.join()
  useEffect(() => {
    if (!live || key === '') return undefined
    let isOver = false
    readSnapshots(live.store.connection, key.split(',')).then(
      (read) => {
        if (!isOver) state.value = read
      },
      (error) => {
        if (!isOver && !(state.peek() instanceof Map)) state.value = error as Error
      },
    )
    const end = live.market.onMessages((messages) => {
      state.value = withDays(state.peek(), messages)
    })
    return () => {
      isOver = true
      end()
    }
  }, [live, key, advances.value, live?.store.orderStream.staleSince.value])
  return state
}

async function readSnapshots(
  { client }: Connection,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, Snapshot>> {
  const [pairs, stocks] = [
    symbols.filter((one) => one.includes('/')),
    symbols.filter((one) => !one.includes('/')),
  ]
  const [ofStocks, ofPairs] = await Promise.all([
    stocks.length === 0 ? {} : client.stockSnapshots({ query: { symbols: stocks } }),
    pairs.length === 0
      ? {}
      : client
          .cryptoSnapshots({ params: { loc: 'us' }, query: { symbols: pairs } })
          .then((read) => read.snapshots),
  ])
  const all = Object.entries({ ...ofStocks, ...ofPairs }) as [string, Snapshot | null][]
  return new Map(all.flatMap(([symbol, read]) => (read ? [[symbol, read] as const] : [])))
}

/** The bar of the day grows with the messages of the stream. */
function withDays(
  state: ReadonlyMap<string, Snapshot> | Error | undefined,
  messages: readonly MarketMessage[],
): ReadonlyMap<string, Snapshot> | Error | undefined {
  if (!(state instanceof Map)) return state
  const days = messages.filter((message) => message.T === 'd' && state.has(message.S))
  if (days.length === 0) return state
  const changed = new Map<string, Snapshot>(state)
  for (const message of days)
    if (message.T === 'd')
      changed.set(message.S, {
        ...changed.get(message.S),
        dailyBar: message as unknown as Snapshot['dailyBar'],
      })
  return changed
}

/** The last price of a symbol at the instant of the store; that of the snapshot until the store has it. */
export const lastOf = (symbol: string, snapshot: Snapshot | undefined): number | undefined =>
  current.value?.market.state(symbol).trade.value?.p ?? snapshot?.latestTrade?.p

import type { MarketChannel } from '@quipu/sdk'
import { useEffect, useState } from 'preact/hooks'
import { advances, clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import type { Connection } from '../../session/connections.ts'

/** Above this speed each trade would be too much for a browser; bars of a minute are enough. */
const TRADES_SPEED_MAX = 60

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

/**
 * The last price of a symbol: that of the store at its instant. Until the store has one, which with the prices of a provider
 * may be the next trade, the latest trade of the API. undefined: not read yet; without a symbol nothing is read.
 */
export function useLastPrice(symbol: string | undefined): number | Error | undefined {
  const [latest, setLatest] = useState<number | Error>()
  const live = current.value
  useEffect(() => {
    if (!live || symbol === undefined) return undefined
    const reading = new AbortController()
    const { signal } = reading
    const take = (read: number | Error | undefined) => {
      if (!signal.aborted) setLatest(read)
    }
    readLatest(live.store.connection, symbol, signal).then(take, take)
    return () => reading.abort()
  }, [live, symbol, advances.value, live?.store.orderStream.staleSince.value])
  return symbol === undefined ? undefined : (live?.market.state(symbol).trade.value?.p ?? latest)
}

async function readLatest(
  { client }: Connection,
  symbol: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const query = { symbols: [symbol] }
  const { trades } = symbol.includes('/')
    ? await client.cryptoLatestTrades({ params: { loc: 'us' }, query }, { signal })
    : await client.stockLatestTrades({ query }, { signal })
  return trades[symbol]?.p
}

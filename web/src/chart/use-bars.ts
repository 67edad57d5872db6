import { useEffect, useMemo } from 'preact/hooks'
import { advances } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { BarSource } from './bar-source.ts'
import type { Timeframe } from './timeframes.ts'

/** The bars from the API and the stream. Without a symbol there are none. */
export function useBars(symbol: string | undefined, timeframe: Timeframe): BarSource | undefined {
  const live = current.value
  const source = useMemo(
    () => (live && symbol ? new BarSource(live.store.connection, symbol, timeframe) : undefined),
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

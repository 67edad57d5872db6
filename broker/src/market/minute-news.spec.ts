import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bar, Instant, Ticker } from '@quipu/core'
import type { FeedMarket } from './feed-market.ts'
import { Interest } from './interest.ts'
import { MinuteBars } from './minute-news.ts'

const MARK = 1_793_631_660_000_000_000n as Instant

test('a subscription that arrives while the next minute is computed is in that minute', async () => {
  const bars = new Interest<string>()
  let response: (() => void) | undefined
  const market = {
    assets: () => new Map(['AAPL', 'MSFT'].map((symbol) => [symbol, {}])),
    history: {
      edition: 1,
      bars: () => new Promise<Bar[]>((resolve) => (response = () => resolve([{} as Bar]))),
    },
  } as unknown as FeedMarket
  const minutes = new MinuteBars({ market: () => market, delayNs: 0n, bars, dailyBars: new Interest() })
  bars.add('AAPL', 'client')
  const ahead = minutes.ahead({ due: MARK, until: (MARK + 1n) as Instant, max: 1 })
  bars.add('MSFT', 'client')
  minutes.forget()
  response!()
  await ahead
  market.history.bars = async () => [{} as Bar]
  const symbols: Ticker[] = (await minutes.at(MARK)).map(({ symbol }) => symbol)
  assert.deepEqual(symbols, ['AAPL', 'MSFT'])
})

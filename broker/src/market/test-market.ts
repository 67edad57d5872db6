import {
  type Asset,
  type AssetId,
  type Bar,
  firstOf,
  type Instant,
  instantOfNanos,
  lastOf,
  MINUTE,
  type Quote,
  SECOND,
  type Trade,
  tickerOf,
  toPrice,
  toQuantity,
} from '@quipu/core'
import type { FeedMarket } from './feed-market.ts'

/** The symbol of the test stream. It cannot be traded. */
const FAKEPACA = tickerOf('FAKEPACA')
const EVERY = 5n * SECOND
const TRADES_A_MINUTE = MINUTE / EVERY
const CENT = 10_000_000n
const SHARE = 1_000_000_000n
const BID = 13_385n
const ASK = 13_577n
/** The quotes of the test symbol name two exchanges that no other symbol has. */
const ORIGIN = { bidExchange: 'O', askExchange: 'R', tape: 'A', conditions: ['R'] } as const

const asset: Asset = {
  id: '00000000-0000-4000-8000-00000000face' as AssetId,
  class: 'usEquity',
  exchange: 'NYSE',
  symbol: FAKEPACA,
  name: 'Test symbol',
  status: 'active',
  tradable: false,
  marginable: false,
  shortable: false,
  easyToBorrow: false,
  fractionable: false,
  tick: toPrice(CENT),
  lot: toQuantity(SHARE),
}
const assets = new Map([[FAKEPACA, asset]])

/**
 * A market for testing clients at any hour: one symbol with a quote and a trade every five seconds, the same in every
 * world.
 */
export const testMarket: FeedMarket = {
  assets: () => assets,
  pricesAt: (at) => ({ quote: () => quoteAt(at / EVERY), trade: () => tradeAt(at / EVERY) }),
  schedule: {
    async nextQuote(_, at, until) {
      const next = instantOfNanos((at / EVERY + 1n) * EVERY)
      return next < until ? next : undefined
    },
  },
  history: {
    /** Callers always query the oldest first. */
    async trades({ from, to, limit }) {
      const trades: Trade[] = []
      for (let number = (from + EVERY - 1n) / EVERY; number * EVERY <= to && trades.length < limit; number++)
        trades.push(tradeAt(number))
      return trades
    },
    book: async () => undefined,
    events: async () => [],
    /** Callers always query one finished minute. */
    bars: async ({ from, frame }) => (frame.unit === 'minute' ? [barOf(from)] : []),
  },
}

/** Up and down by a few cents, so that charts move. */
const wave = (number: bigint): bigint => {
  const step = number % 12n
  return step < 6n ? step : 12n - step
}

const quoteAt = (number: bigint): Quote => ({
  at: instantOfNanos(number * EVERY),
  bid: toPrice((BID + wave(number)) * CENT),
  ask: toPrice((ASK + wave(number)) * CENT),
  bidSize: toQuantity(100n * SHARE),
  askSize: toQuantity(100n * SHARE),
  origin: ORIGIN,
})

const centsAt = (number: bigint): bigint => (BID + ASK) / 2n + wave(number)

const tradeAt = (number: bigint): Trade => ({
  at: instantOfNanos(number * EVERY),
  price: toPrice(centsAt(number) * CENT),
  size: toQuantity(100n * SHARE),
  side: number % 2n === 0n ? 'buy' : 'sell',
  id: Number(number),
  exchange: 'N',
  tape: 'A',
  conditions: [' '],
})

function barOf(start: Instant): Bar {
  const first = start / EVERY
  const cents = Array.from({ length: Number(TRADES_A_MINUTE) }, (_, index) =>
    Number(centsAt(first + BigInt(index))),
  )
  const sum = cents.reduce((total, price) => total + price, 0)
  return {
    start,
    open: firstOf(cents) / 100,
    high: Math.max(...cents) / 100,
    low: Math.min(...cents) / 100,
    close: lastOf(cents) / 100,
    volume: 100 * cents.length,
    trades: cents.length,
    vwap: Math.round((sum * 10_000) / cents.length) / 1_000_000,
  }
}

import { asLongWork, ClientDisconnected, currentReader, pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import { divide, type Instant, later, max, min, type Side, type Ticker, UNIT } from '@quipu/core'
import { type ComputedFill, type ComputedFills, type WhatIfHead, whatIfToWire } from '../wire/what-if-wire.ts'

/** The fills of an order with other limits: plain data, because a thread may compute them. */
export type WhatIfQuery = {
  readonly kind: 'whatIf'
  readonly symbol: Ticker
  readonly side: Side
  /** In billionths, as all amounts here. Of an order by amount it follows from the first price. */
  readonly quantity: bigint
  readonly notional?: bigint | undefined
  readonly limit?: bigint | undefined
  readonly fillSize: 'unlimited' | 'displayed'
  /** The times at which the order could trade, in order. */
  readonly spans: readonly { readonly from: Instant; readonly to: Instant }[]
  /** Default: a ladder of prices. */
  readonly prices?: readonly bigint[] | undefined
  readonly maxMs: number
  /** The other fields of the response. */
  readonly head: WhatIfHead
}

export type WhatIfMarket = { readonly market: Pick<MarketSource, 'pricesAt' | 'schedule'> }

/** Computes the fills until the time is over, and returns the bytes of the response. */
export const readWhatIf = async (
  source: WhatIfMarket,
  query: WhatIfQuery,
): Promise<Uint8Array<ArrayBuffer>> => bytesOf(query, await whatIfFills(source, query))

/** The response when the time was over without a result. */
export const whatIfWithoutFills = (query: WhatIfQuery): Uint8Array<ArrayBuffer> =>
  bytesOf(query, { fills: byEase(query.prices ?? [], query.side).map(unknownFill), isComplete: false })

const bytesOf = ({ head }: WhatIfQuery, computed: ComputedFills): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(whatIfToWire(head, computed)))

/** The work ends by itself a little before its thread is ended, so that what it has found is not lost. */
const WORK_SHARE = 0.9

/** The fill of each limit, the easiest limit first. A limit without an answer when the time is over is `unknown`. */
async function whatIfFills(source: WhatIfMarket, query: WhatIfQuery): Promise<ComputedFills> {
  const { name = 'what if', client } = currentReader() ?? {}
  const endMs = performance.now() + query.maxMs * WORK_SHARE
  const limited = {
    get isClosed() {
      return client?.isClosed === true || performance.now() >= endMs
    },
    onClosed: (run: () => void) => client?.onClosed(run) ?? (() => undefined),
  }
  const fills: ComputedFill[] = []
  let prices = query.prices && byEase(query.prices, query.side)
  try {
    await asLongWork(name, limited, async () => {
      prices ??= await ladderOf(source, query)
      for (const price of prices) fills.push(await fillWith(source, query, price, fills.at(-1)))
    })
  } catch (error) {
    if (!(error instanceof ClientDisconnected) || client?.isClosed) throw error
  }
  const rest = (prices ?? []).slice(fills.length)
  return { fills: [...fills, ...rest.map(unknownFill)], isComplete: prices?.length === fills.length }
}

const unknownFill = (price: bigint): ComputedFill => ({ price, outcome: 'unknown', filled: 0n, value: 0n })

/** A buyer's higher limit, or a seller's lower one, is reached earlier. */
const byEase = (prices: readonly bigint[], side: Side): readonly bigint[] =>
  [...new Set(prices)].sort((a, b) => (a === b ? 0 : a > b === (side === 'buy') ? -1 : 1))

/** A limit that is harder to reach than the one before is not reached before it. */
async function fillWith(
  source: WhatIfMarket,
  query: WhatIfQuery,
  price: bigint,
  easier: ComputedFill | undefined,
): Promise<ComputedFill> {
  const none: ComputedFill = { price, outcome: 'not_filled', filled: 0n, value: 0n }
  if (easier !== undefined && easier.first === undefined) return none
  const first = await touch(source, query, price, easier?.first)
  if (first === undefined) return none
  const { wanted, takes } = takerOf(source, query, first)
  let [filled, value, at, last]: [bigint, bigint, Instant | undefined, Instant] = [0n, 0n, first, first]
  while (at !== undefined) {
    await pauseWork()
    const taken = takes(at, wanted - filled)
    if (taken) {
      filled += taken.quantity
      value += taken.price * taken.quantity
      last = at
    }
    at = filled < wanted ? await nextQuote(source, query, price, at) : undefined
  }
  return { price, outcome: filled < wanted ? 'partially_filled' : 'filled', filled, value, first, last }
}

type Taken = { readonly price: bigint; readonly quantity: bigint }

/** How much the order wants, and what it takes of the quote at an instant. */
function takerOf({ market }: WhatIfMarket, query: WhatIfQuery, first: Instant) {
  const { symbol, side, quantity, notional, fillSize } = query
  const far = (at: Instant): Taken | undefined => {
    const quote = market.pricesAt(at).quote(symbol)
    if (!quote) return undefined
    return side === 'buy'
      ? { price: quote.ask, quantity: quote.askSize }
      : { price: quote.bid, quantity: quote.bidSize }
  }
  const price = far(first)?.price
  const wanted =
    notional === undefined || price === undefined ? quantity : divide(notional * UNIT, price, 'down')
  return {
    wanted,
    takes(at: Instant, most: bigint): Taken | undefined {
      const quote = far(at)
      return quote && { ...quote, quantity: fillSize === 'unlimited' ? most : min(most, quote.quantity) }
    },
  }
}

/** The first instant from `start` at which the quote reaches a price. */
async function touch(
  { market }: WhatIfMarket,
  { symbol, side, spans }: WhatIfQuery,
  price: bigint,
  start: Instant | undefined,
): Promise<Instant | undefined> {
  for (const { from, to } of spans) {
    const begin = start !== undefined && start > from ? start : from
    if (begin > to) continue
    const at = await market.schedule.nextTouch({ symbol, side, price, from: begin, to })
    if (at !== undefined) return at
  }
  return undefined
}

/** The next quote after an instant that reaches a price. */
async function nextQuote(
  source: WhatIfMarket,
  query: WhatIfQuery,
  price: bigint,
  after: Instant,
): Promise<Instant | undefined> {
  const end = query.spans.at(-1)?.to
  if (end === undefined) return undefined
  const next = await source.market.schedule.nextQuote(query.symbol, after, later(end, 1n))
  return next === undefined ? undefined : touch(source, query, price, next)
}

const STEPS = 20n
/** Quotes that are read to estimate the best price. A search for it would walk the market many times. */
const SAMPLES = 64n
/** The ladder goes beyond the best price by this part of its length, and by at least so many price steps. */
const BEYOND_PART = 10n
const BEYOND_STEPS = 5n

/** Prices between the quote at the start and a little beyond the best one, in whole price steps, with the own limit. */
async function ladderOf(source: WhatIfMarket, query: WhatIfQuery): Promise<readonly bigint[]> {
  const { side, limit } = query
  const quotes = await sampledPrices(source, query)
  const [far] = quotes
  if (far === undefined) return limit === undefined ? [] : [limit]
  const step = far >= UNIT ? UNIT / 100n : UNIT / 10_000n
  const best = side === 'buy' ? quotes.reduce(min) : quotes.reduce(max)
  const length = best < far ? far - best : best - far
  const beyond = max((length / BEYOND_PART / step) * step, BEYOND_STEPS * step)
  const ends = [
    far,
    best,
    side === 'buy' ? best - beyond : best + beyond,
    ...(limit === undefined ? [] : [limit]),
  ]
  const [low, high] = [ends.reduce(min), ends.reduce(max)]
  const width = (high - low) / step
  const rungs = Array.from(
    { length: Number(STEPS) + 1 },
    (_, at) => low + ((width * BigInt(at)) / STEPS) * step,
  )
  return byEase([...rungs, ...ends], side).filter((price) => price > 0n)
}

/** The price of the far side at instants that are evenly spread over the spans, the start first. */
async function sampledPrices(
  { market }: WhatIfMarket,
  { symbol, side, spans }: WhatIfQuery,
): Promise<readonly bigint[]> {
  const prices: bigint[] = []
  const length = spans.reduce((sum, { from, to }) => sum + (to - from), 0n)
  for (const { from, to } of spans)
    for (let at = from; at <= to; at = later(at, length / SAMPLES + 1n)) {
      await pauseWork()
      const quote = market.pricesAt(at).quote(symbol)
      if (quote) prices.push(side === 'buy' ? quote.ask : quote.bid)
    }
  return prices
}

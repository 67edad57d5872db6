import { asLongWork, ClientDisconnected, currentReader, pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import { divide, type Instant, later, min, type Side, type Ticker, UNIT } from '@quipu/core'
import { type ComputedFill, type WhatIfHead, whatIfToWire } from '../wire/what-if-wire.ts'

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
export async function readWhatIf(source: WhatIfMarket, query: WhatIfQuery): Promise<Uint8Array<ArrayBuffer>> {
  const fills = await whatIfFills(source, query)
  return new TextEncoder().encode(JSON.stringify(whatIfToWire(query.head, fills)))
}

/** The fill of each limit, the easiest limit first. A limit without an answer when the time is over is `unknown`. */
async function whatIfFills(source: WhatIfMarket, query: WhatIfQuery): Promise<readonly ComputedFill[]> {
  const { name = 'what if', client } = currentReader() ?? {}
  const endMs = performance.now() + query.maxMs
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
  return [
    ...fills,
    ...rest.map((price): ComputedFill => ({ price, outcome: 'unknown', filled: 0n, value: 0n })),
  ]
}

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
const HALVINGS = 12
/** The search for the best price begins with this part of the price, and stops at the double of it. */
const NEAR_PART = 50n

/** Prices between the quote at the start and the best one that was reached, in whole price steps, with the own limit. */
async function ladderOf(source: WhatIfMarket, query: WhatIfQuery): Promise<readonly bigint[]> {
  const { symbol, side, spans, limit } = query
  const start = spans[0]?.from
  const quote = start === undefined ? undefined : source.market.pricesAt(start).quote(symbol)
  if (!quote) return limit === undefined ? [] : [limit]
  const far = side === 'buy' ? quote.ask : quote.bid
  const step = far >= UNIT ? UNIT / 100n : UNIT / 10_000n
  const sign = side === 'buy' ? -1n : 1n
  const best = await bestPrice(source, query, { far, step, sign })
  const ends = [far, best, ...(limit === undefined ? [] : [limit])]
  const [low, high] = [ends.reduce(min), ends.reduce((a, b) => (a > b ? a : b))]
  const width = (high - low) / step
  const prices = Array.from(
    { length: Number(STEPS) + 1 },
    (_, at) => low + ((width * BigInt(at)) / STEPS) * step,
  )
  return byEase([...prices, ...ends, best + sign * step], side).filter((price) => price > 0n)
}

type Ladder = { readonly far: bigint; readonly step: bigint; readonly sign: bigint }

/** The hardest limit that was reached, by doubling and halving its distance from the first quote. */
async function bestPrice(
  source: WhatIfMarket,
  query: WhatIfQuery,
  { far, step, sign }: Ladder,
): Promise<bigint> {
  const isReached = async (steps: bigint) =>
    (await touch(source, query, far + sign * steps * step, undefined)) !== undefined
  let [reached, missed] = [0n, far / NEAR_PART / step + 1n]
  while (missed * step < far / 2n && (await isReached(missed))) [reached, missed] = [missed, missed * 2n]
  for (let count = 0; count < HALVINGS && missed - reached > 1n; count++) {
    const middle = (reached + missed) / 2n
    if (await isReached(middle)) reached = middle
    else missed = middle
  }
  return far + sign * reached * step
}

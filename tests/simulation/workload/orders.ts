import type { AccountId, ClientOrderId, Command, OrderId, PlaceOrder, Ticker } from '@quipu/core'
import type { World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'

const NANO = 1_000_000_000n
const CENT = 10_000_000n

type Terms = Omit<PlaceOrder, 'kind' | 'accountId' | 'clientOrderId' | 'symbol' | 'side'>

/** A random order: mostly simple ones, and every other type and class. */
export function randomOrder(
  random: Random,
  world: World,
  {
    accountId,
    symbol,
    tag,
  }: { readonly accountId: AccountId; readonly symbol: Ticker; readonly tag: string },
): Command {
  const side = random.pick(['buy', 'buy', 'sell'] as const)
  const terms = random.chance(0.65)
    ? simpleTerms(random, world, symbol)
    : random.pick(KINDS)({ random, side, mid: middleOf(world, symbol) })
  return {
    kind: 'placeOrder',
    accountId,
    clientOrderId: tag as ClientOrderId,
    symbol: random.chance(0.02) ? ('NOSUCH' as Ticker) : symbol,
    side,
    ...terms,
  }
}

/** A random replacement of an order, which may be invalid. */
export function randomReplace(
  random: Random,
  world: World,
  order: { readonly id: OrderId; readonly accountId: AccountId },
  { symbol, tag }: { readonly symbol: Ticker; readonly tag: string },
): Command {
  const { id: orderId, accountId } = order
  const mid = middleOf(world, symbol)
  const changed = random.pick([
    () => ({ quantity: wholeShares(random) }),
    () => ({ limit: priceNear(mid, random.pick([-20, -2, 2, 20])) }),
    () => ({ stop: priceNear(mid, random.pick([-20, 20])) }),
    () => ({ timeInForce: random.pick(['day', 'gtc'] as const) }),
  ])()
  return { kind: 'replaceOrder', accountId, orderId, clientOrderId: tag as ClientOrderId, ...changed }
}

function simpleTerms(random: Random, world: World, symbol: Ticker): Terms {
  const isLimit = random.chance(0.6)
  const price = priceNear(middleOf(world, symbol), random.pick([-200, -10, -1, 0, 1, 5, 30]))
  return {
    type: isLimit ? 'limit' : 'market',
    timeInForce: random.pick(['day', 'gtc'] as const),
    extendedHours: random.chance(0.2),
    quantity: random.chance(0.3) ? (BigInt(random.integer(1, 5_000_000_000)) as never) : wholeShares(random),
    // Sometimes not a whole cent.
    ...(isLimit ? { limit: (random.chance(0.03) ? price + 1_000_000n : price) as never } : {}),
  }
}

type Case = { readonly random: Random; readonly side: 'buy' | 'sell'; readonly mid: bigint }

const KINDS: readonly ((input: Case) => Terms)[] = [
  ({ random, side, mid }) => ({ ...resting(random), type: 'stop', stop: stopPrice(side, mid, random) }),
  ({ random, side, mid }) => ({
    ...resting(random),
    type: 'stopLimit',
    stop: stopPrice(side, mid, random),
    limit: priceNear(mid, side === 'buy' ? 12 : -12),
  }),
  ({ random, mid }) => ({
    ...resting(random),
    type: 'trailingStop',
    ...(random.chance(0.5) ? { trailPrice: roundUp(mid / 200n) } : { trailPercent: NANO / 2n }),
  }),
  ({ random, mid }) => ({
    ...resting(random),
    type: random.pick(['market', 'limit'] as const),
    timeInForce: random.pick(['ioc', 'fok', 'opg', 'cls'] as const),
    ...(random.chance(0.5) ? { limit: priceNear(mid, random.pick([-1, 1])) } : {}),
  }),
  ({ random }) => ({
    ...resting(random),
    type: 'market',
    timeInForce: 'day',
    quantity: 0n as never,
    notional: (BigInt(random.integer(100, 2_000_000)) * CENT) as never,
  }),
  ({ random, side, mid }) => ({
    ...resting(random),
    type: random.pick(['market', 'limit'] as const),
    ...(random.chance(0.5) ? { limit: priceNear(mid, 0) } : {}),
    class: 'bracket',
    takeProfit: { limit: priceNear(mid, side === 'buy' ? 6 : -6) },
    stopLoss: { stop: priceNear(mid, side === 'buy' ? -6 : 6) },
  }),
  ({ random, side, mid }) => ({
    ...resting(random),
    type: 'limit',
    class: 'oco',
    limit: priceNear(mid, side === 'buy' ? -6 : 6),
    takeProfit: { limit: priceNear(mid, side === 'buy' ? -6 : 6) },
    stopLoss: { stop: priceNear(mid, side === 'buy' ? 6 : -6) },
  }),
  ({ random, side, mid }) => ({
    ...resting(random),
    type: 'market',
    class: 'oto',
    ...(random.chance(0.5)
      ? { takeProfit: { limit: priceNear(mid, side === 'buy' ? 6 : -6) } }
      : { stopLoss: { stop: priceNear(mid, side === 'buy' ? -6 : 6) } }),
  }),
]

const resting = (random: Random) => ({
  timeInForce: random.pick(['day', 'gtc'] as const),
  extendedHours: false,
  quantity: wholeShares(random),
})

const wholeShares = (random: Random) =>
  (BigInt(random.pick([1, 3, 10, 40, random.integer(1, 20_000)])) * NANO) as PlaceOrder['quantity']

function middleOf(world: World, symbol: Ticker): bigint {
  const quote = world.market.pricesAt(world.engine.now).quote(symbol)
  return quote ? (quote.bid + quote.ask) / 2n : 100n * NANO
}

const roundUp = (price: bigint) => ((price / CENT + 1n) * CENT) as NonNullable<PlaceOrder['limit']>
/** A price at a distance of some thousandths. */
const priceNear = (mid: bigint, thousandths: number) => roundUp(mid + (mid * BigInt(thousandths)) / 1000n)
/** A stop price: above the market for a buy, below for a sell. */
const stopPrice = (side: 'buy' | 'sell', mid: bigint, random: Random) =>
  priceNear(mid, (side === 'buy' ? 1 : -1) * random.pick([2, 5, 30]))

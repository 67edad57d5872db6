import type { AccountId, ClientOrderId, Command, OrderId, PlaceOrder, Ticker } from '@quipu/core'
import type { World } from '../../../server/src/world/world.ts'
import type { Dice } from '../../random.ts'

const NANO = 1_000_000_000n
const CENT = 10_000_000n

type Terms = Omit<PlaceOrder, 'kind' | 'accountId' | 'clientOrderId' | 'symbol' | 'side'>

/** An order of any kind: mostly plain ones, and every other there is. */
export function orderWish(
  dice: Dice,
  world: World,
  given: { readonly accountId: AccountId; readonly symbol: Ticker; readonly tag: string },
): Command {
  const { accountId, symbol, tag } = given
  const side = dice.pick(['buy', 'buy', 'sell'] as const)
  const terms = dice.isLucky(0.65)
    ? plain(dice, world, symbol)
    : dice.pick(KINDS)({ dice, side, mid: middleOf(world, symbol) })
  return {
    kind: 'placeOrder',
    accountId,
    clientOrderId: tag as ClientOrderId,
    symbol: dice.isLucky(0.02) ? ('NOSUCH' as Ticker) : symbol,
    side,
    ...terms,
  }
}

/** Another size, price or time for an order, whether or not that is possible. */
export function replaceWish(
  dice: Dice,
  world: World,
  order: { readonly id: OrderId; readonly accountId: AccountId },
  given: { readonly symbol: Ticker; readonly tag: string },
): Command {
  const { id: orderId, accountId } = order
  const mid = middleOf(world, given.symbol)
  const changed = dice.pick([
    () => ({ quantity: whole(dice) }),
    () => ({ limit: priceNear(mid, dice.pick([-20, -2, 2, 20])) }),
    () => ({ stop: priceNear(mid, dice.pick([-20, 20])) }),
    () => ({ timeInForce: dice.pick(['day', 'gtc'] as const) }),
  ])()
  return { kind: 'replaceOrder', accountId, orderId, clientOrderId: given.tag as ClientOrderId, ...changed }
}

function plain(dice: Dice, world: World, symbol: Ticker): Terms {
  const isLimit = dice.isLucky(0.6)
  const price = priceNear(middleOf(world, symbol), dice.pick([-200, -10, -1, 0, 1, 5, 30]))
  return {
    type: isLimit ? 'limit' : 'market',
    timeInForce: dice.pick(['day', 'gtc'] as const),
    extendedHours: dice.isLucky(0.2),
    quantity: dice.isLucky(0.3) ? (BigInt(dice.whole(1, 5_000_000_000)) as never) : whole(dice),
    // Now and then between two cents.
    ...(isLimit ? { limit: (dice.isLucky(0.03) ? price + 1_000_000n : price) as never } : {}),
  }
}

type Case = { readonly dice: Dice; readonly side: 'buy' | 'sell'; readonly mid: bigint }

const KINDS: readonly ((given: Case) => Terms)[] = [
  ({ dice, side, mid }) => ({ ...resting(dice), type: 'stop', stop: beyond(side, mid, dice) }),
  ({ dice, side, mid }) => ({
    ...resting(dice),
    type: 'stopLimit',
    stop: beyond(side, mid, dice),
    limit: priceNear(mid, side === 'buy' ? 12 : -12),
  }),
  ({ dice, mid }) => ({
    ...resting(dice),
    type: 'trailingStop',
    ...(dice.isLucky(0.5) ? { trailPrice: roundUp(mid / 200n) } : { trailPercent: NANO / 2n }),
  }),
  ({ dice, mid }) => ({
    ...resting(dice),
    type: dice.pick(['market', 'limit'] as const),
    timeInForce: dice.pick(['ioc', 'fok', 'opg', 'cls'] as const),
    ...(dice.isLucky(0.5) ? { limit: priceNear(mid, dice.pick([-1, 1])) } : {}),
  }),
  ({ dice }) => ({
    ...resting(dice),
    type: 'market',
    timeInForce: 'day',
    quantity: 0n as never,
    notional: (BigInt(dice.whole(100, 2_000_000)) * CENT) as never,
  }),
  ({ dice, side, mid }) => ({
    ...resting(dice),
    type: dice.pick(['market', 'limit'] as const),
    ...(dice.isLucky(0.5) ? { limit: priceNear(mid, 0) } : {}),
    class: 'bracket',
    takeProfit: { limit: priceNear(mid, side === 'buy' ? 6 : -6) },
    stopLoss: { stop: priceNear(mid, side === 'buy' ? -6 : 6) },
  }),
  ({ dice, side, mid }) => ({
    ...resting(dice),
    type: 'limit',
    class: 'oco',
    limit: priceNear(mid, side === 'buy' ? -6 : 6),
    takeProfit: { limit: priceNear(mid, side === 'buy' ? -6 : 6) },
    stopLoss: { stop: priceNear(mid, side === 'buy' ? 6 : -6) },
  }),
  ({ dice, side, mid }) => ({
    ...resting(dice),
    type: 'market',
    class: 'oto',
    ...(dice.isLucky(0.5)
      ? { takeProfit: { limit: priceNear(mid, side === 'buy' ? 6 : -6) } }
      : { stopLoss: { stop: priceNear(mid, side === 'buy' ? -6 : 6) } }),
  }),
]

const resting = (dice: Dice) => ({
  timeInForce: dice.pick(['day', 'gtc'] as const),
  extendedHours: false,
  quantity: whole(dice),
})

const whole = (dice: Dice) =>
  (BigInt(dice.pick([1, 3, 10, 40, dice.whole(1, 20_000)])) * NANO) as PlaceOrder['quantity']

function middleOf(world: World, symbol: Ticker): bigint {
  const quote = world.market.pricesAt(world.now).quote(symbol)
  return quote ? (quote.bid + quote.ask) / 2n : 100n * NANO
}

const roundUp = (price: bigint) => ((price / CENT + 1n) * CENT) as NonNullable<PlaceOrder['limit']>
/** So many thousandths from a price. */
const priceNear = (mid: bigint, thousandths: number) => roundUp(mid + (mid * BigInt(thousandths)) / 1000n)
/** Where a stop waits: above for a buy, below for a sell. */
const beyond = (side: 'buy' | 'sell', mid: bigint, dice: Dice) =>
  priceNear(mid, (side === 'buy' ? 1 : -1) * dice.pick([2, 5, 30]))

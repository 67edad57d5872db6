import { AUCTION_GRACE_NS, format, formatInstant, type Instant, newYorkDate, type Order } from '@quipu/core'
import type { World } from '../../../world/world.ts'
import { type Sight, type Step, stepAt } from './step.ts'

export const isForAuction = ({ timeInForce }: Order): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

/** The price of the order's auction, and the limit that would have traded in it. */
export async function auctionSteps(world: World, order: Order, sight: Sight): Promise<Step[]> {
  const { symbol, side, timeInForce, expiresAt } = order
  const held = (expiresAt - AUCTION_GRACE_NS) as Instant
  const name = timeInForce === 'opg' ? 'opening' : 'closing'
  const now = sight === 'past' ? world.latest : expiresAt
  const date = newYorkDate(held)
  const { history } = world.market
  const [day] = await history.auctions({ symbol, from: date, to: date, now, sort: 'asc', limit: 1 })
  const prints = timeInForce === 'opg' ? day?.open : day?.close
  const print = prints?.find(({ condition, at }) => (condition === 'Q' || condition === 'M') && at <= now)
  if (!print)
    return [
      stepAt(
        held,
        'auctionAhead',
        { at: formatInstant(held) },
        `Its ${name} auction is at ${formatInstant(held)}.`,
      ),
    ]
  const { price, at } = print
  const text = `The ${name} auction was held at ${format(price)}: a limit of that or ${side === 'buy' ? 'more' : 'less'} would have traded in it.`
  return [stepAt(at, 'limitInAuction', { limit_price: price, at: formatInstant(at) }, text)]
}

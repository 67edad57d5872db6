import type { World } from '@quipu/broker/world/world.ts'
import { AUCTION_GRACE_NS, earlier, formatInstant, newYorkDate, type Order } from '@quipu/core'
import { type ExplainedStep, explainStepAt, type Sight } from './step.ts'

export const waitsForAuction = ({ timeInForce }: Order): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

/** The price of the order's auction, and the limit that would have traded in it. */
export async function auctionSteps(world: World, order: Order, sight: Sight): Promise<ExplainedStep[]> {
  const { symbol, side, timeInForce, expiresAt } = order
  const held = earlier(expiresAt, AUCTION_GRACE_NS)
  const auction = timeInForce === 'opg' ? 'open' : 'close'
  const now = sight === 'past' ? world.engine.latest : expiresAt
  const date = newYorkDate(held)
  const { history } = world.market
  const [day] = await history.auctions({ symbol, from: date, to: date, now, sort: 'asc', limit: 1 })
  const prints = timeInForce === 'opg' ? day?.open : day?.close
  const print = prints?.find(({ condition, at }) => (condition === 'Q' || condition === 'M') && at <= now)
  if (!print) return [explainStepAt(held, 'auctionAhead', { auction, at: formatInstant(held) })]
  const { price, at } = print
  return [explainStepAt(at, 'limitInAuction', { auction, side, limit_price: price, at: formatInstant(at) })]
}

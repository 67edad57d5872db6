import type { Body, Started } from '../broker.ts'
import { allOrders, get } from './checks.ts'

/** All of an account that may not depend on what a start had to repair, nor on today's prices. */
export type Picture = {
  readonly orders: Body
  readonly positions: Body
  readonly cash: string
  readonly mints: Body
}

export async function pictureOf(broker: Started): Promise<Picture> {
  const positions = await get(broker, '/v2/positions')
  return {
    orders: await allOrders(broker),
    positions: positions.map(({ symbol, qty, cost_basis: cost }: Body) => ({ symbol, qty, cost })),
    cash: (await get(broker, '/v2/account')).cash,
    mints: await get(broker, '/v2/tokenization/requests'),
  }
}

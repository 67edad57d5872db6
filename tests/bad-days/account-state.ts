import type { Body, Started } from '../support/broker.ts'
import { allOrders, get } from './checks.ts'

/** The state of an account that depends neither on repairs at a start nor on current prices. */
export type AccountState = {
  readonly orders: Body
  readonly positions: Body
  readonly cash: string
  readonly mints: Body
}

export async function accountStateOf(broker: Started): Promise<AccountState> {
  const positions = await get(broker, '/v2/positions')
  return {
    orders: await allOrders(broker),
    positions: positions.map(({ symbol, qty, cost_basis: cost }: Body) => ({ symbol, qty, cost })),
    cash: (await get(broker, '/v2/account')).cash,
    mints: await get(broker, '/v2/tokenization/requests'),
  }
}

import { after } from 'node:test'
import type { streaming } from '@alpacahq/alpaca-trade-api'
import { OfficialSdk } from '../reference/official-sdk.ts'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

export { broker }

const sdk = new OfficialSdk()

/** A world with these settings, the official SDK on its first account, and the trade updates that the SDK receives. */
export async function open(settings: Readonly<Record<string, unknown>>) {
  const world = await newWorld(broker, { seed: 'venue', ...settings })
  const alpaca = sdk.client(world)
  const { stream, updates } = await sdk.tradeUpdates(alpaca, broker.url)
  after(() => stream.disconnect())
  return {
    world,
    alpaca,
    orders: alpaca.trading.orders,
    /** The names of an order's updates, after the last of these names has arrived. */
    async updatesOf(id: string | undefined, last: string): Promise<string[]> {
      await updates.first(({ event, order }) => event === last && order.id === id)
      return updates.all.filter(({ order }) => order.id === id).map(({ event }) => event)
    },
    /** The first update of an order with this name. */
    update: (id: string | undefined, name: string): Promise<streaming.TradeUpdate> =>
      updates.first(({ event, order }) => event === name && order.id === id),
  }
}

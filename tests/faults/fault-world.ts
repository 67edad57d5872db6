import assert from 'node:assert/strict'
import { Alpaca, type AlpacaClientOptions } from '@alpacahq/alpaca-trade-api'
import {
  alpacaOptions,
  alpacaStreams,
  connectQuipu,
  type NewFault,
  type World,
} from '../../testing/src/kit.ts'
import { broker } from '../support/shared-broker.ts'

const quipu = connectQuipu({}, { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret })

/** A world with one fault rule, and the official client of its account without retries. */
export type FaultWorld = {
  readonly world: World
  readonly alpaca: Alpaca
  /** Asserts that the rule was applied this often. */
  consumed(times?: number): Promise<void>
}

export const newEmptyWorld = (): Promise<World> => quipu.world()

export async function newFaultWorld(rule: NewFault, options: AlpacaClientOptions = {}): Promise<FaultWorld> {
  const world = await newEmptyWorld()
  await world.fault(rule)
  return {
    world,
    alpaca: new Alpaca({ ...alpacaOptions(world), retry: false, ...options }),
    async consumed(times = 1) {
      const [fault] = await world.faults()
      assert.equal(fault?.consumed, times)
    },
  }
}

export const streamsOf = (world: World) => alpacaStreams(world)

/** Buys one share of AAPL. */
export const buy = (alpaca: Alpaca, clientOrderId: string) =>
  alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId })

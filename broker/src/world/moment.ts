import { hash, randomBytes } from 'node:crypto'
import { type Instant, type Moment, newIdOf, type Prices } from '@quipu/core'
import { readUuid, UUID_BYTES } from '../binary/hex.ts'
import type { MarketPrices } from '../market/market-source.ts'

/** The moment of one command. Most commands read no prices, so prices are looked up on demand. */
export class CommandMoment implements Moment {
  readonly at: Instant
  readonly asset: Moment['asset']
  readonly id: Moment['id']
  readonly #market: MarketPrices

  constructor(at: Instant, market: MarketPrices, asset: Moment['asset'], id: Moment['id']) {
    this.at = at
    this.asset = asset
    this.id = id
    this.#market = market
  }

  get prices(): Prices {
    return this.#market.pricesAt(this.at)
  }
}

/**
 * Derives the ids of a world from its seed and the purpose of each id: the same seed and the same calls give the same
 * ids. They have the form of UUID version 4, because clients check that. A digest has two ids: a new order needs two.
 */
export function idMaker(seed: string): Moment['id'] {
  const digest = Buffer.alloc(2 * UUID_BYTES)
  let [lastScope, lastEvents, lastPair] = ['', -1, -1]
  return (scope, events, n) => {
    const pair = n >> 1
    if (events !== lastEvents || pair !== lastPair || scope !== lastScope) {
      digest.write(hash('sha256', `${seed}/${scope}/${events}/${pair}`, 'binary'), 'binary')
      for (const at of [0, UUID_BYTES]) setVersion(digest, at)
      ;[lastScope, lastEvents, lastPair] = [scope, events, pair]
    }
    return newIdOf(readUuid(digest, n % 2 === 0 ? 0 : UUID_BYTES))
  }
}

/** The bits of a UUID that name its version and its variant. */
function setVersion(bytes: Buffer, at: number): void {
  bytes[at + 6] = (bytes[at + 6]! & 0x0f) | 0x40
  bytes[at + 8] = (bytes[at + 8]! & 0x3f) | 0x80
}

/** A random id for data outside of worlds: requests, first seeds. 32 hex digits. */
export const newRandomId = (): string => randomBytes(16).toString('hex')

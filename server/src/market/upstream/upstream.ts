import { type Asset, assetOf, customOf, type Ticker, type View } from '@quipu/core'
import type { Log } from '../../process/log.ts'
import type { MarketSource } from '../market-source.ts'
import { Client } from './client.ts'
import { openDesk } from './desk.ts'
import { History } from './history.ts'
import { Latest } from './latest.ts'
import { Listing } from './listing.ts'
import { pastOf } from './past.ts'
import type { UpstreamTerms } from './terms.ts'

/** What a world says of itself to its market. */
export type WorldSeen = Pick<View, 'symbols' | 'positions'>

export type Upstream = {
  /** The market of a world; a world that is rebuilt asks again. */
  market(world: WorldSeen): MarketSource
  close(): void
}

/** How often it is looked at which symbols are still needed. */
const SWEEP_MS = 30_000

/**
 * A provider of market data that speaks the protocol we speak: real prices for our own accounts. Nothing is asked of
 * it before this is called; whatever becomes of it, the broker stays up.
 */
export async function openUpstream(terms: UpstreamTerms, log: Log): Promise<Upstream> {
  const client = new Client(terms)
  const history = new History(client, terms)
  const latest = new Latest(client, terms)
  const { board, live, close } = openDesk({ terms, log, history, latest })
  const listing = await Listing.open(client, terms, log)
  let current: WorldSeen | undefined
  const sweep = () => {
    board.sweep(current ? heldIn(current) : [])
    void listing.complete()
  }
  const sweeping = setInterval(sweep, SWEEP_MS).unref()
  return {
    market(world) {
      current = world
      board.sweep(heldIn(world))
      const assets = assetsOf(listing, world)
      return { ...pastOf(history, latest, board), assets, pricesAt: () => board, live }
    },
    close() {
      clearInterval(sweeping)
      client.close()
      close()
    },
  }
}

/** Symbols that somebody holds. */
function heldIn({ positions }: WorldSeen): ReadonlySet<Ticker> {
  const held = new Set<Ticker>()
  for (const ofAccount of positions.values()) for (const symbol of ofAccount.keys()) held.add(symbol)
  return held
}

/** What is listed, and what was added to this world since. */
function assetsOf(listing: Listing, { symbols }: WorldSeen): MarketSource['assets'] {
  let made: { readonly of: ReadonlyMap<Ticker, Asset>; readonly added: number } | undefined
  let assets = listing.assets
  return () => {
    if (made?.of === listing.assets && made.added === symbols.size) return assets
    made = { of: listing.assets, added: symbols.size }
    const own = [...symbols.values()].map((one) => [one.symbol, assetOf(customOf(one))] as const)
    assets = new Map([...own, ...listing.assets])
    return assets
  }
}

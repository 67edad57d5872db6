import {
  type AddedSymbol,
  assetOf,
  type CustomSymbol,
  checkCustom,
  customOf,
  dateOf,
  dayIn,
  type ImportedSeries,
  type Instant,
  instantOfMicros,
  issuesOf,
  type MarketEvent,
  microsBefore,
  midnightIn,
  originsOf,
  type Ticker,
  type WorldSettings,
  zoneOf,
} from '@quipu/core'
import { barColumns } from './bar-columns.ts'
import type { MarketSource } from './market-source.ts'
import { type End, replayMarket } from './replay/replay.ts'
import { spliceMarkets } from './splice.ts'
import type { Series } from './store/index.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'
import { type WorldActions, withActions } from './with-actions.ts'

export type WorldMarketParts = {
  readonly settings: WorldSettings
  /** Symbols and actions that were added since the world was opened. */
  readonly added: WorldActions & {
    readonly symbols: ReadonlyMap<Ticker, AddedSymbol>
    readonly marketEvents: readonly MarketEvent[]
    readonly importedData?: readonly ImportedSeries[]
  }
  /** Finds imported series; throws where one is missing. */
  readonly imported?: ((data: readonly ImportedSeries[]) => readonly Series[]) | undefined
}

/**
 * The market of a world. A replay world has only imported data. Any other world has the synthetic market. Symbols
 * with imported data use it up to its last day, then continue with the synthetic market from the last price.
 * Additions at run time take effect at the next call.
 */
export function worldMarket(parts: WorldMarketParts): MarketSource {
  const { added } = parts
  let [symbols, marketEvents] = [added.symbols.size, added.marketEvents.length]
  let { actionsSeq, importedData } = added
  let current = makeMarket(parts)
  const market = (): MarketSource => {
    // Called for every command, so an unchanged market is returned without allocations.
    const isSame = symbols === added.symbols.size && marketEvents === added.marketEvents.length
    if (isSame && actionsSeq === added.actionsSeq && importedData === added.importedData) return current
    symbols = added.symbols.size
    marketEvents = added.marketEvents.length
    ;({ actionsSeq, importedData } = added)
    current = makeMarket(parts)
    return current
  }
  return withActions(
    {
      assets: () => market().assets(),
      pricesAt: (at) => market().pricesAt(at),
      nextQuote: (symbol, at, until) => market().nextQuote(symbol, at, until),
      nextTouch: (query) => market().nextTouch(query),
      nextTrade: (query) => market().nextTrade(query),
      bars: (query) => market().bars(query),
      barColumns: (query) => barColumns(market(), query),
      edition: () => market().edition?.(),
      latestBar: (symbol, now) => market().latestBar(symbol, now),
      trades: (query) => market().trades(query),
      latestTrade: (symbol, now) => market().latestTrade(symbol, now),
      quotes: (query) => market().quotes(query),
      latestQuote: (symbol, now) => market().latestQuote(symbol, now),
      book: (symbol, at) => market().book(symbol, at),
      auctions: (query) => market().auctions(query),
      events: (query) => market().events(query),
    },
    added,
  )
}

function makeMarket({ settings, added, imported }: WorldMarketParts): MarketSource {
  const { seed, hours, symbols } = settings
  const custom = new Map<Ticker, CustomSymbol>()
  for (const one of [...(settings.added ?? []), ...added.symbols.values()])
    custom.set(one.symbol, customOf(one))
  const { importedData = [] } = added
  const stored = replayMarket({
    series: importedData.length === 0 ? [] : imported!(importedData),
    seed,
    assetOf: (symbol) => assetOf(custom.get(symbol) ?? { symbol }),
  })
  const origins = originsOf(added.actions.values())
  if (settings.market === 'replay') return renamed(stored, origins)
  const cuts = new Map<Ticker, Instant>()
  for (const end of stored.ends()) {
    const zone = zoneOf(assetOf({ symbol: end.symbol }).class)
    const day = dayIn(zone, microsBefore(end.at))
    const next = { ...custom.get(end.symbol), ...continuation(end), on: dateOf(day) }
    if (checkCustom(next).ok) custom.set(end.symbol, next)
    cuts.set(end.symbol, instantOfMicros(midnightIn(zone, day + 1)))
  }
  const marketEvents = [...(settings.marketEvents ?? []), ...added.marketEvents]
  const issues = issuesOf(
    added.actions.values(),
    (origin) => assetOf(custom.get(origin) ?? { symbol: origin }).tick,
    (origin) => cuts.get(origin),
  )
  const extra = [...custom.values()]
  const synthetic = syntheticMarket({ seed, hours, symbols, extra, marketEvents, issues })
  for (const [name, origin] of origins) {
    const cut = cuts.get(origin)
    if (cut !== undefined) cuts.set(name, cut)
  }
  return cuts.size > 0 ? spliceMarkets(renamed(stored, origins), synthetic, cuts) : synthetic
}

const DOLLAR = 1e9

const continuation = ({ symbol, price }: End) => ({ symbol, price: Number(price) / DOLLAR })

/** A market in which some symbols have other names; queries of a name use its original symbol. */
export function renamed(source: MarketSource, origins: ReadonlyMap<Ticker, Ticker>): MarketSource {
  if (origins.size === 0) return source
  const of = (symbol: Ticker): Ticker => origins.get(symbol) ?? symbol
  const originalQuery = <Query extends { readonly symbol: Ticker }>(query: Query): Query => ({
    ...query,
    symbol: of(query.symbol),
  })
  const { barColumns } = source
  return {
    ...source,
    pricesAt: (at) => {
      const prices = source.pricesAt(at)
      return { quote: (symbol) => prices.quote(of(symbol)), trade: (symbol) => prices.trade(of(symbol)) }
    },
    nextQuote: (symbol, at, until) => source.nextQuote(of(symbol), at, until),
    nextTouch: (query) => source.nextTouch(originalQuery(query)),
    nextTrade: (query) => source.nextTrade(originalQuery(query)),
    bars: (query) => source.bars(originalQuery(query)),
    ...(barColumns && { barColumns: (query) => barColumns(originalQuery(query)) }),
    latestBar: (symbol, now) => source.latestBar(of(symbol), now),
    trades: (query) => source.trades(originalQuery(query)),
    latestTrade: (symbol, now) => source.latestTrade(of(symbol), now),
    quotes: (query) => source.quotes(originalQuery(query)),
    latestQuote: (symbol, now) => source.latestQuote(of(symbol), now),
    book: (symbol, at) => source.book(of(symbol), at),
    auctions: (query) => source.auctions(originalQuery(query)),
    events: (query) => source.events(originalQuery(query)),
  }
}

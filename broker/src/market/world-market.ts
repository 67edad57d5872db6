import {
  assetOf,
  type CustomSymbol,
  checkCustom,
  customOf,
  dateOf,
  dayIn,
  definedFields,
  firstOf,
  type ImportedSeries,
  type Instant,
  instantOfMicros,
  issuesOf,
  microsBefore,
  midnightIn,
  missing,
  originsOf,
  remainingMarketEvents,
  type Ticker,
  type WorldSettings,
  zoneOf,
} from '@quipu/core'
import type { MarketAdditions, MarketInputs } from './market-inputs.ts'
import { type MarketSource, nextEdition } from './market-source.ts'
import { pathSeries } from './replay/path-series.ts'
import { type End, replayMarket } from './replay/replay.ts'
import { spliceMarkets } from './splice.ts'
import type { Series } from './store/index.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'
import { withActions } from './with-actions.ts'

export type WorldMarketParts = {
  readonly settings: WorldSettings
  /** Symbols and actions that were added since the world was opened. */
  readonly added: MarketAdditions
  /** Finds imported series; throws where one is missing. */
  readonly imported?: ((data: readonly ImportedSeries[]) => readonly Series[]) | undefined
}

/**
 * The market of a world. A replay world has only imported data and price paths. Any other world has the synthetic
 * market. Symbols with such data use it up to its last day, then continue with the synthetic market from the last price.
 * Additions at run time take effect at the next call.
 */
export function worldMarket(parts: WorldMarketParts): MarketSource {
  const { added } = parts
  // Each addition and each removal raises this sum.
  const changes = () => added.marketEvents.length + (added.removedMarketEvents?.size ?? 0)
  let [symbols, marketEvents] = [added.symbols.size, changes()]
  let { actionsSeq, importedData } = added
  let current = makeMarket(parts)
  let inputs: MarketInputs | undefined
  const market = (): MarketSource => {
    // Called for every command, so an unchanged market is returned without allocations.
    const isSame = symbols === added.symbols.size && marketEvents === changes()
    if (isSame && actionsSeq === added.actionsSeq && importedData === added.importedData) return current
    symbols = added.symbols.size
    marketEvents = changes()
    ;({ actionsSeq, importedData } = added)
    current = makeMarket(parts)
    inputs = undefined
    return current
  }
  return {
    assets: () => market().assets(),
    pricesAt: (at) => market().pricesAt(at),
    get history() {
      return market().history
    },
    get schedule() {
      return market().schedule
    },
    get inputs() {
      market()
      inputs ??= inputsOf(parts)
      return inputs
    },
  }
}

/** World state has more parts than these; another thread needs no other. */
function inputsOf({ settings, added, imported }: WorldMarketParts): MarketInputs {
  const { actions, actionsSeq, symbols, marketEvents, removedMarketEvents, importedData = [] } = added
  return {
    version: nextEdition(),
    settings,
    added: {
      actions,
      actionsSeq,
      symbols,
      marketEvents,
      importedData,
      ...definedFields({ removedMarketEvents }),
    },
    series:
      importedData.length === 0
        ? []
        : (imported ?? missing('the store of imported data'))(importedData).map(({ record }) => record),
  }
}

function makeMarket(parts: WorldMarketParts): MarketSource {
  const market = plainMarket(parts)
  return parts.added.actions.size === 0 ? market : withActions(market, parts.added)
}

/** The market without its corporate actions. */
function plainMarket({ settings, added, imported }: WorldMarketParts): MarketSource {
  const { hours, symbols } = settings
  const seed = settings.marketSeed ?? settings.seed
  const custom = new Map<Ticker, CustomSymbol>()
  const firstUses = new Map<Ticker, CustomSymbol>()
  for (const one of [...(settings.added ?? []), ...added.symbols.values()])
    (one.onFirstUse ? firstUses : custom).set(one.symbol, customOf(one))
  const { importedData = [] } = added
  const paths = settings.prices ?? []
  for (const { symbol, points } of paths)
    if (!custom.has(symbol)) custom.set(symbol, { symbol, price: Number(firstOf(points).price) / DOLLAR })
  const customBy = (symbol: Ticker): CustomSymbol => custom.get(symbol) ?? firstUses.get(symbol) ?? { symbol }
  const origins = originsOf(added.actions.values())
  const stored = replayMarket({
    series: [
      ...(importedData.length === 0 ? [] : (imported ?? missing('the store of imported data'))(importedData)),
      ...paths.map(pathSeries),
    ],
    seed,
    assetOf: (symbol) => assetOf(customBy(symbol)),
    origins,
  })
  if (settings.market === 'replay') return stored
  const cuts = new Map<Ticker, Instant>()
  for (const end of stored.ends()) {
    const zone = zoneOf(assetOf({ symbol: end.symbol }).class)
    const day = dayIn(zone, microsBefore(end.at))
    const next = { ...customBy(end.symbol), ...continuation(end), on: dateOf(day) }
    if (checkCustom(next).ok) custom.set(end.symbol, next)
    cuts.set(end.symbol, instantOfMicros(midnightIn(zone, day + 1)))
  }
  const marketEvents = remainingMarketEvents(settings.marketEvents, added).map(({ event }) => event)
  const issues = issuesOf(
    added.actions.values(),
    (origin) => assetOf(customBy(origin)).tick,
    (origin) => cuts.get(origin),
  )
  const extra = [...custom.values()]
  const onFirstUse = [...firstUses.values()]
  const synthetic = syntheticMarket({ seed, hours, symbols, extra, marketEvents, issues, onFirstUse })
  for (const [name, origin] of origins) {
    const cut = cuts.get(origin)
    if (cut !== undefined) cuts.set(name, cut)
  }
  return cuts.size > 0 ? spliceMarkets(stored, synthetic, cuts) : synthetic
}

const DOLLAR = 1e9

const continuation = ({ symbol, price }: End) => ({ symbol, price: Number(price) / DOLLAR })

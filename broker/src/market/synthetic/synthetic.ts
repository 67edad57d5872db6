import {
  type Asset,
  type AuctionQuery,
  assetOf,
  type BarQuery,
  builtInListing,
  type CustomSymbol,
  type DailyAuctions,
  earlier,
  type Hours,
  haltSpan,
  type Instant,
  type Issue,
  instantOfMicros,
  type LastTrade,
  LruCache,
  type MarketEvent,
  MINUTE_MICROS,
  makeMarket,
  microsAfter,
  microsBefore,
  midnightIn,
  minuteOf,
  missing,
  type Prices,
  type Print,
  profileOf,
  type Quantity,
  type Quote,
  reportingErrorsOf,
  type Ticker,
  tickerOf,
  underFirstNames,
  type Zone,
} from '@quipu/core'
import { auctionDays } from '../auction-days.ts'
import { makeBoard } from '../board.ts'
import { type MarketSource, nextEdition } from '../market-source.ts'
import { chosen, withNames } from './assets.ts'
import { eventsOf } from './events.ts'
import {
  bookAt,
  FORTNIGHT_NS,
  findTouch,
  findTrade,
  listedBarColumns,
  listedBars,
  listedQuotes,
  listedTrades,
  listingQuoteAt,
  newestQuote,
  newestTrade,
  type SyntheticListing,
} from './listing.ts'
import { haltsOf, noticesOf } from './notices.ts'
import { OtherSymbols } from './other-symbols.ts'
import { quantityOf, tapeOf, tradeOf } from './trade.ts'

type Setup = {
  readonly seed: string
  readonly hours: Hours
  /** The listed symbols. Default: all. */
  readonly symbols?: readonly Ticker[] | undefined
  /** Custom symbols, which may also be listed ones. */
  readonly extra?: readonly CustomSymbol[] | undefined
  readonly marketEvents?: readonly MarketEvent[] | undefined
  /** The issues after corporate actions. New names are listed too. */
  readonly issues?: ReadonlyMap<Ticker, Issue> | undefined
  /**
   * Symbols that were listed on first use. Their prices follow from seed, name and estimates alone, so worlds that named
   * different ones share their prices too.
   */
  readonly onFirstUse?: readonly CustomSymbol[] | undefined
}

/** A computed market: seeded, endless, the same on every machine. See `docs/reference/market.md`. */
export function syntheticMarket({ onFirstUse, ...setup }: Setup): MarketSource {
  const shared = listings.getOrMake(keyOf(setup), () => makeListings(setup))
  if (!onFirstUse?.length) return sourceOf(shared)
  if (shared.others.accept(onFirstUse)) return sourceOf(withFirstUses(shared, onFirstUse))
  // A world of an earlier version can have other estimates for a symbol.
  const own = listings.getOrMake(keyOf({ ...setup, onFirstUse }), () => makeListings(setup))
  own.others.accept(onFirstUse)
  return sourceOf(withFirstUses(own, onFirstUse))
}

/** The same market with prices of its own. */
export const unsharedMarket = (setup: Setup): MarketSource => sourceOf(makeListings(setup))

type Listings = {
  readonly assets: ReadonlyMap<Ticker, Asset>
  readonly issues: Setup['issues']
  readonly listingOf: (symbol: Ticker) => SyntheticListing | undefined
  readonly others: OtherSymbols
  /** The listing of an asset that is not among these. */
  readonly otherListing: (asset: Asset) => SyntheticListing
}

/**
 * Worlds with equal setups share their generated prices, which depend on nothing else: the prices of all assets at an
 * instant cost 0.2 CPU seconds. They need 9 MB, also after their worlds are deleted, so few are kept.
 */
const SHARED_MAX = 3
const listings = new LruCache<string, Listings>(SHARED_MAX)

const keyOf = (setup: Setup): string =>
  JSON.stringify(setup, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof Map ? [...value] : value,
  )

function makeListings(setup: Setup): Listings {
  const { seed, hours, symbols, extra = [], issues } = setup
  const marketEvents = underFirstNames(setup.marketEvents ?? [], (symbol) => issues?.get(symbol)?.origin)
  const builtIn = builtInListing()
  const otherSymbols = new OtherSymbols()
  const otherProfile = otherSymbols.profileOf
  const profiles = extra.length === 0 ? builtIn.profiles : [...builtIn.profiles, ...extra.map(profileOf)]
  const tapes = makeMarket({ seed, hours, profiles, otherProfile, marketEvents, issues })
  const listed = symbols === undefined && extra.length === 0 ? builtIn.assets : chosen(symbols, extra)
  const assets = issues?.size ? withNames(listed, issues) : listed
  const made = new Map<Ticker, SyntheticListing>()
  const make = (asset: Asset): SyntheticListing => {
    const { symbol } = asset
    const tape = tapes.get(symbol) ?? missing(`the tape of ${symbol}`)
    const issue = issues?.get(symbol)
    const origin = issue?.origin ?? symbol
    const halts = haltsOf(marketEvents, origin)
    return {
      asset,
      profile: profiles.findLast((profile) => profile.symbol === origin) ?? otherProfile(origin),
      tape,
      board: makeBoard(tape, asset),
      halts: [...halts.map((halt) => instantOfMicros(haltSpan(halt).from)), ...breaksOf(issue, tape.zone)],
      notices: noticesOf(tape, asset, tapeOf(asset), halts),
      isHalted: (at) => halts.some((halt) => isIn(haltSpan(halt), microsBefore(at))),
      errors: reportingErrorsOf(marketEvents, seed, origin),
      endsAt: issue?.endDay === undefined ? undefined : dayStart(tape.zone, issue.endDay),
    }
  }
  const listingOf = (symbol: Ticker): SyntheticListing | undefined => {
    const known = made.get(symbol)
    if (known) return known
    const asset = assets.get(symbol)
    const listing = asset && make(asset)
    if (listing) made.set(symbol, listing)
    return listing
  }
  const others = new Map<Ticker, SyntheticListing>()
  const otherListing = (asset: Asset): SyntheticListing => {
    const listing = others.get(asset.symbol) ?? make(asset)
    others.set(asset.symbol, listing)
    return listing
  }
  return { assets, issues, listingOf, others: otherSymbols, otherListing }
}

function withFirstUses(listings: Listings, symbols: readonly CustomSymbol[]): Listings {
  const { issues, listingOf } = listings
  const added = new Map(listings.assets)
  for (const custom of symbols) {
    const symbol = tickerOf(custom.symbol)
    if (!added.has(symbol)) added.set(symbol, assetOf(custom))
  }
  const assets = issues?.size ? withNames(added, issues) : added
  return {
    ...listings,
    assets,
    listingOf(symbol) {
      const listing = listingOf(symbol)
      const asset = listing ? undefined : assets.get(symbol)
      return asset ? listings.otherListing(asset) : listing
    },
  }
}

/** A quote ends at a corporate action, because the price changes. */
function breaksOf(issue: Issue | undefined, zone: Zone): readonly Instant[] {
  if (!issue) return []
  const days = [...issue.changes.map(({ day }) => day), ...(issue.endDay === undefined ? [] : [issue.endDay])]
  return days.map((day) => dayStart(zone, day))
}

const isIn = ({ from, to }: ReturnType<typeof haltSpan>, at: number): boolean => from <= at && at < to

const dayStart = (zone: Zone, day: number): Instant => instantOfMicros(midnightIn(zone, day))

function sourceOf({ assets, listingOf }: Listings): MarketSource {
  /** Runs a function for the listing of a symbol; returns `nothing` for an unknown symbol. */
  const of = async <Result, Nothing>(
    symbol: Ticker,
    nothing: Nothing,
    run: (listing: SyntheticListing) => Result | Promise<Result>,
  ): Promise<Result | Nothing> => {
    const listing = listingOf(symbol)
    return listing ? run(listing) : nothing
  }
  return {
    assets: () => assets,
    pricesAt: (at) => new PricesAtInstant(listingOf, at),
    schedule: {
      nextQuote: async (symbol, at, until) => listingOf(symbol)?.board.next(at, until),
      nextTouch: (query) => of(query.symbol, undefined, (listing) => findTouch(listing, query)),
      nextTrade: (query) => of(query.symbol, undefined, (listing) => findTrade(listing, query)),
    },
    history: {
      edition: nextEdition(),
      bars: (query) => of(query.symbol, [], (listing) => listedBars(listing, query)),
      barColumns: (query) => of(query.symbol, [], (listing) => listedBarColumns(listing, query)),
      latestBar: async (symbol, now) =>
        (await of(symbol, [], (listing) => listedBars(listing, newest(symbol, now))))[0],
      trades: (query) => of(query.symbol, [], (listing) => listedTrades(listing, query)),
      latestTrade: (symbol, now) => of(symbol, undefined, (listing) => newestTrade(listing, now)),
      quotes: (query) => of(query.symbol, [], (listing) => listedQuotes(listing, query)),
      latestQuote: (symbol, now) => of(symbol, undefined, (listing) => newestQuote(listing, now)),
      book: (symbol, at) => of(symbol, undefined, (listing) => bookAt(listing, at)),
      auctions: (query) => of(query.symbol, [], (listing) => auctionsOf(listing, query)),
      events: (query) =>
        of(query.symbol, [], ({ tape, asset, errors, notices, endsAt }) => {
          const to = endsAt !== undefined && endsAt <= query.to ? earlier(endsAt, 1n) : query.to
          return eventsOf(tape, asset, errors, notices, { ...query, to })
        }),
    },
  }
}

/** The prices at an instant. Used for every order, so prices are computed on demand. */
class PricesAtInstant implements Prices {
  readonly #at: Instant
  readonly #listingOf: (symbol: Ticker) => SyntheticListing | undefined

  constructor(listingOf: (symbol: Ticker) => SyntheticListing | undefined, at: Instant) {
    this.#listingOf = listingOf
    this.#at = at
  }

  quote(symbol: Ticker): Quote | undefined {
    const listing = this.#listingOf(symbol)
    return listing && listingQuoteAt(listing, this.#at)
  }

  trade(symbol: Ticker): LastTrade | undefined {
    return this.#listingOf(symbol)?.board.trade(this.#at)
  }

  /** Includes the rest of the minute, which a generated market knows in advance. */
  volume(symbol: Ticker): Quantity | undefined {
    const listing = this.#listingOf(symbol)
    if (!listing) return undefined
    const from = microsAfter(minuteOf(this.#at))
    const span = listing.tape.fold(from, from + MINUTE_MICROS)
    return quantityOf(span?.volume ?? 0, listing.asset)
  }
}

function newest(symbol: Ticker, now: Instant): BarQuery {
  const from = earlier(now, FORTNIGHT_NS)
  return { symbol, frame: { unit: 'minute', count: 1 }, from, to: now, now, sort: 'desc', limit: 1 }
}

/** Crypto has no auctions. */
async function auctionsOf(
  { tape, asset, isHalted }: SyntheticListing,
  query: AuctionQuery,
): Promise<readonly DailyAuctions[]> {
  if (asset.class === 'crypto') return []
  const toTrade = (print: Print | undefined) => print && tradeOf(asset, print)
  return auctionDays(
    {
      first: (from, to) => toTrade(tape.next(microsAfter(from) - 1, microsBefore(to))),
      last: (from, to) => {
        const print = tape.last(microsBefore(to))
        return print && print.at >= microsAfter(from) ? toTrade(print) : undefined
      },
      isHalted,
    },
    query,
  )
}

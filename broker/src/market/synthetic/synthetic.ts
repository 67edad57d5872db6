import {
  type Asset,
  type AuctionQuery,
  assetIdOf,
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
import { quantityOf, tapeOf, tradeOf } from './trade.ts'

/** A computed market: seeded, endless, the same on every machine. See `docs/reference/market.md`. */
export function syntheticMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  /** The listed symbols. Default: all. */
  readonly symbols?: readonly Ticker[] | undefined
  /** Custom symbols, which may also be listed ones. */
  readonly extra?: readonly CustomSymbol[] | undefined
  readonly marketEvents?: readonly MarketEvent[] | undefined
  /** The issues after corporate actions. New names are listed too. */
  readonly issues?: ReadonlyMap<Ticker, Issue> | undefined
}): MarketSource {
  const { seed, hours, symbols, extra = [], issues } = setup
  const marketEvents = underFirstNames(setup.marketEvents ?? [], (symbol) => issues?.get(symbol)?.origin)
  const builtIn = builtInListing()
  const profiles = extra.length === 0 ? builtIn.profiles : [...builtIn.profiles, ...extra.map(profileOf)]
  const tapes = makeMarket({ seed, hours, profiles, marketEvents, issues })
  const listed = symbols === undefined && extra.length === 0 ? builtIn.assets : chosen(symbols, extra)
  const assets = issues?.size ? withNames(listed, issues) : listed
  const listings = new Map<Ticker, SyntheticListing>()
  const make = (asset: Asset): SyntheticListing => {
    const { symbol } = asset
    const tape = tapes.get(symbol) ?? missing(`the tape of ${symbol}`)
    const issue = issues?.get(symbol)
    const origin = issue?.origin ?? symbol
    const halts = haltsOf(marketEvents, origin)
    return {
      asset,
      profile:
        profiles.findLast((profile) => profile.symbol === origin) ?? missing(`the profile of ${origin}`),
      tape,
      board: makeBoard(tape, asset),
      halts: [...halts.map((halt) => instantOfMicros(haltSpan(halt).from)), ...breaksOf(issue, tape.zone)],
      notices: noticesOf(tape, asset, tapeOf(asset), halts),
      isHalted: (at) => halts.some((halt) => isIn(haltSpan(halt), microsBefore(at))),
      errors: reportingErrorsOf(marketEvents, seed, origin),
      endsAt: issue?.endDay === undefined ? undefined : dayStart(tape.zone, issue.endDay),
    }
  }
  return sourceOf(assets, (symbol) => {
    const known = listings.get(symbol)
    if (known) return known
    const asset = assets.get(symbol)
    const made = asset && make(asset)
    if (made) listings.set(symbol, made)
    return made
  })
}

/** A quote ends at a corporate action, because the price changes. */
function breaksOf(issue: Issue | undefined, zone: Zone): readonly Instant[] {
  if (!issue) return []
  const days = [...issue.changes.map(({ day }) => day), ...(issue.endDay === undefined ? [] : [issue.endDay])]
  return days.map((day) => dayStart(zone, day))
}

const isIn = ({ from, to }: ReturnType<typeof haltSpan>, at: number): boolean => from <= at && at < to

const dayStart = (zone: Zone, day: number): Instant => instantOfMicros(midnightIn(zone, day))

function withNames(
  assets: ReadonlyMap<Ticker, Asset>,
  issues: ReadonlyMap<Ticker, Issue>,
): ReadonlyMap<Ticker, Asset> {
  const named = new Map(assets)
  for (const [symbol, { origin }] of issues) {
    const asset = assets.get(origin)
    if (asset && !assets.has(symbol)) named.set(symbol, { ...asset, id: assetIdOf(symbol), symbol })
  }
  return named
}

function chosen(symbols: readonly Ticker[] | undefined, extra: readonly CustomSymbol[]) {
  const wanted = symbols && new Set(symbols)
  const assets = new Map([...builtInListing().assets].filter(([symbol]) => wanted?.has(symbol) ?? true))
  for (const custom of extra) assets.set(tickerOf(custom.symbol), assetOf(custom))
  return assets
}

function sourceOf(
  assets: ReadonlyMap<Ticker, Asset>,
  listingOf: (symbol: Ticker) => SyntheticListing | undefined,
): MarketSource {
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

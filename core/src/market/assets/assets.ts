import { toPrice, toQuantity } from '../../amount.ts'
import { civilDateOf, dayOf } from '../../civil-date.ts'
import { definedFields } from '../../defined-fields.ts'
import { type AssetId, type Ticker, tickerOf } from '../../ids.ts'
import { entryIn } from '../../result.ts'
import type { Profile, Theme } from '../kernel/profile.ts'
import { keyOf, mix } from '../kernel/random.ts'
import type { Asset, ListingExchange } from './asset.ts'
import { FIRST_LISTED, LISTED_LINES } from './assets.table.ts'
import { PAIRS, pairAsset, pairProfile } from './crypto.ts'
import { FIRST_SECTORS, INCEPTION_LINES, THEME_LINES } from './followers.table.ts'
import { FOLLOWERS } from './followers.ts'

/** An asset and the profile of its generated prices. */
export type Listed = { readonly asset: Asset; readonly profile: Profile }

const TICK = toPrice(10_000_000n)
const LOT = toQuantity(1_000_000_000n)

const EXCHANGES: ReadonlyMap<string, ListingExchange> = new Map([
  ['Q', 'NASDAQ'],
  ['N', 'NYSE'],
  ['P', 'ARCA'],
  ['A', 'AMEX'],
  ['Z', 'BATS'],
])

const FUND = /\b(ETF|ETN|Fund|Trust|Gold Shares|3X Shares|ProShares)\b/

/** The built-in assets, in the order of the tables. */
type BuiltInListing = {
  readonly listed: ReadonlyMap<Ticker, Listed>
  readonly assets: ReadonlyMap<Ticker, Asset>
  readonly profiles: readonly Profile[]
}

let parsed: BuiltInListing | undefined

/** Parses the tables on first use: that takes 25 ms, and many threads and commands need no asset. */
export function builtInListing(): BuiltInListing {
  if (parsed) return parsed
  const relations = { themes: themesBySymbol(), inceptions: inceptionsBySymbol() }
  const rows: readonly Listed[] = [
    ...FIRST_LISTED.map(({ id, exchange, name, ...profile }) => ({
      asset: equityOf({ symbol: tickerOf(profile.symbol), id: id as AssetId, exchange, name }),
      profile: related(
        { ...profile, symbol: tickerOf(profile.symbol) },
        FIRST_SECTORS[profile.symbol],
        name,
        relations,
      ),
    })),
    ...LISTED_LINES.trim()
      .split('\n')
      .map((line) => parseListing(line, relations)),
    ...PAIRS.map((pair) => ({ asset: pairAsset(pair, assetIdOf(pair.symbol)), profile: pairProfile(pair) })),
  ]
  parsed = {
    listed: new Map(rows.map((row) => [row.asset.symbol, row])),
    assets: new Map(rows.map(({ asset }) => [asset.symbol, asset])),
    profiles: rows.map(({ profile }) => profile),
  }
  return parsed
}

/** Stocks that token issuers list by default: the best known ones, to keep the list short. */
export const TOKENIZED: readonly Ticker[] = FIRST_LISTED.map(({ symbol }) => tickerOf(symbol))

/** The themes and the first trading day of a symbol. */
type Relations = {
  readonly themes: ReadonlyMap<string, readonly Theme[]>
  readonly inceptions: ReadonlyMap<string, number>
}

const inceptionsBySymbol = (): Relations['inceptions'] =>
  new Map(
    INCEPTION_LINES.trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([symbol = '', date = '']) => [symbol, dayOf(civilDateOf(date))]),
  )

function themesBySymbol(): Relations['themes'] {
  const themes = new Map<string, Theme[]>()
  for (const line of THEME_LINES.trim().split('\n')) {
    const [name = '', ...members] = line.split(' ')
    for (const member of members) {
      const [symbol = '', load] = member.split(':')
      const theme = { name, ...definedFields({ load: load === undefined ? undefined : Number(load) }) }
      themes.set(symbol, [...(themes.get(symbol) ?? []), theme])
    }
  }
  return themes
}

function parseListing(line: string, relations: Relations): Listed {
  const [symbol = '', exchange = '', price, millions, volatility, beta, sector, ...name] = line.split(' ')
  return {
    asset: equityOf({
      symbol: tickerOf(symbol),
      id: assetIdOf(symbol),
      exchange: entryIn(EXCHANGES, exchange),
      name: name.join(' '),
    }),
    profile: related(
      {
        symbol: tickerOf(symbol),
        ...liquidityOf(Number(price), Number(millions)),
        volatility: Number(volatility),
        beta: Number(beta),
      },
      sector === '-' ? undefined : sector,
      name.join(' '),
      relations,
    ),
  }
}

/** Adds sector, themes and leaders. The name pattern matches funds only. */
function related(
  profile: Profile,
  sector: string | undefined,
  name: string,
  { themes, inceptions }: Relations,
): Profile {
  const { symbol } = profile
  return {
    ...profile,
    isFund: FUND.test(name) && !name.includes('Common Stock'),
    ...definedFields({
      sector,
      themes: themes.get(symbol),
      follows: FOLLOWERS.get(symbol),
      inception: inceptions.get(symbol),
    }),
  }
}

/**
 * Liquidity of a stock from its price and daily volume in millions: high prices trade in smaller sizes, low
 * volume has wider spreads.
 */
export function liquidityOf(
  price: number,
  millions: number,
): Pick<Profile, 'basePrice' | 'volume' | 'trades' | 'spread' | 'depth'> {
  const volume = Math.round(millions * 1_000_000)
  const size = Math.min(1500, Math.max(60, 2500 / Math.sqrt(price)))
  return {
    basePrice: Math.round(price * 100),
    volume,
    trades: Math.ceil(volume / size),
    spread: Math.max(100 / price, 4 / Math.sqrt((millions * price) / 100)),
    depth: Math.min(250, Math.max(1, Math.round((600 * Math.sqrt(millions)) / price))),
  }
}

export function equityOf(listing: Pick<Asset, 'symbol' | 'id' | 'exchange' | 'name'>): Asset {
  const times = Math.abs(FOLLOWERS.get(listing.symbol)?.times ?? 1)
  return {
    ...listing,
    class: 'usEquity',
    status: 'active',
    tradable: true,
    marginable: true,
    shortable: true,
    easyToBorrow: true,
    fractionable: true,
    ...definedFields({ leverage: times === 2 || times === 3 ? times : undefined }),
    tick: TICK,
    lot: LOT,
  }
}

/** A deterministic asset id in the form of a name-based UUID, the same in every world. */
export function assetIdOf(symbol: string): AssetId {
  const key = keyOf(symbol)
  const hex = [1, 2, 3, 4].map((part) => (mix(key, part) >>> 0).toString(16).padStart(8, '0')).join('')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20),
  ]
  return `${a}-${b}-5${c}-${variant}${d}-${e}` as AssetId
}

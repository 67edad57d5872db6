import type { Price } from '../amount.ts'
import type { AssetId, Ticker } from '../ids.ts'
import type { Asset, Exchange } from './asset.ts'
import type { Profile } from './kernel/profile.ts'

/**
 * What is listed, and how its synthetic tape behaves. Base prices are what the symbols cost, roughly, at the end
 * of 2026; volume and trades are those of an average regular session. Ids are fixed for ever.
 */
type Row = {
  readonly symbol: string
  readonly id: string
  readonly exchange: Exchange
  readonly name: string
  /** Cents. */
  readonly basePrice: number
  readonly volume: number
  readonly trades: number
  readonly volatility: number
  readonly beta: number
  readonly spread: number
  readonly depth: number
}

// biome-ignore format: one row per symbol, in columns.
const ROWS: readonly Row[] = [
  { symbol: 'AAPL',  id: '605209a6-1bc6-51c6-b6d0-0a8ee018b471', exchange: 'NASDAQ', name: 'Apple Inc. Common Stock',                    basePrice: 26_800, volume: 45_000_000,  trades: 120_000, volatility: 0.28, beta: 1.15, spread: 0.4,  depth: 12 },
  { symbol: 'MSFT',  id: 'b4159c14-b766-50f8-86cd-467dfa14a3bc', exchange: 'NASDAQ', name: 'Microsoft Corporation Common Stock',         basePrice: 51_000, volume: 20_000_000,  trades: 90_000,  volatility: 0.25, beta: 1.05, spread: 0.5,  depth: 8 },
  { symbol: 'GOOGL', id: '9dcf7d36-f53b-5675-970a-dc3d2a7b3a30', exchange: 'NASDAQ', name: 'Alphabet Inc. Class A Common Stock',         basePrice: 28_400, volume: 32_000_000,  trades: 95_000,  volatility: 0.3,  beta: 1.1,  spread: 0.4,  depth: 10 },
  { symbol: 'AMZN',  id: 'dba4c355-2752-5a73-a412-993a9ea61a02', exchange: 'NASDAQ', name: 'Amazon.com, Inc. Common Stock',              basePrice: 23_500, volume: 38_000_000,  trades: 100_000, volatility: 0.31, beta: 1.2,  spread: 0.45, depth: 12 },
  { symbol: 'NVDA',  id: '99c2d260-3ae4-5246-a22e-2dcc2ff73c35', exchange: 'NASDAQ', name: 'NVIDIA Corporation Common Stock',            basePrice: 18_800, volume: 170_000_000, trades: 220_000, volatility: 0.42, beta: 1.6,  spread: 0.55, depth: 25 },
  { symbol: 'META',  id: 'facfef7a-91d4-5735-ac1e-72196bafcdac', exchange: 'NASDAQ', name: 'Meta Platforms, Inc. Class A Common Stock',  basePrice: 63_500, volume: 14_000_000,  trades: 75_000,  volatility: 0.34, beta: 1.25, spread: 0.6,  depth: 6 },
  { symbol: 'TSLA',  id: '8338391a-5ee2-5f1b-bd0d-28382f18ea4e', exchange: 'NASDAQ', name: 'Tesla, Inc. Common Stock',                   basePrice: 42_500, volume: 80_000_000,  trades: 180_000, volatility: 0.55, beta: 1.7,  spread: 0.5,  depth: 8 },
  { symbol: 'AMD',   id: 'f966b279-a850-5e1b-9495-d05af39bd07f', exchange: 'NASDAQ', name: 'Advanced Micro Devices, Inc. Common Stock',  basePrice: 23_200, volume: 45_000_000,  trades: 110_000, volatility: 0.48, beta: 1.6,  spread: 0.5,  depth: 12 },
  { symbol: 'INTC',  id: 'd78c9ab9-aa3f-5ba1-9736-d81a79976405', exchange: 'NASDAQ', name: 'Intel Corporation Common Stock',             basePrice: 3_750,  volume: 75_000_000,  trades: 85_000,  volatility: 0.45, beta: 1.2,  spread: 2.6,  depth: 60 },
  { symbol: 'NFLX',  id: 'd2653a29-63fb-53ba-ad6f-6e18a1d65fc2', exchange: 'NASDAQ', name: 'Netflix, Inc. Common Stock',                 basePrice: 11_200, volume: 35_000_000,  trades: 80_000,  volatility: 0.33, beta: 1.0,  spread: 0.9,  depth: 15 },
  { symbol: 'JPM',   id: '79573e91-956f-568e-be4d-79c50fd3f4b0', exchange: 'NYSE',   name: 'JPMorgan Chase & Co. Common Stock',          basePrice: 30_800, volume: 9_000_000,   trades: 55_000,  volatility: 0.23, beta: 1.0,  spread: 0.6,  depth: 6 },
  { symbol: 'BAC',   id: '7536b275-55df-5df5-aa15-ec9dfe32a156', exchange: 'NYSE',   name: 'Bank of America Corporation Common Stock',   basePrice: 5_280,  volume: 35_000_000,  trades: 60_000,  volatility: 0.25, beta: 1.1,  spread: 1.9,  depth: 50 },
  { symbol: 'KO',    id: '9f22a998-088a-5efc-a6c9-eef09c01997e', exchange: 'NYSE',   name: 'The Coca-Cola Company Common Stock',         basePrice: 7_050,  volume: 15_000_000,  trades: 42_000,  volatility: 0.15, beta: 0.45, spread: 1.4,  depth: 30 },
  { symbol: 'PFE',   id: 'fc31779e-4bca-5c9d-a873-1e3f5025a294', exchange: 'NYSE',   name: 'Pfizer Inc. Common Stock',                   basePrice: 2_480,  volume: 45_000_000,  trades: 55_000,  volatility: 0.23, beta: 0.5,  spread: 4.0,  depth: 90 },
  { symbol: 'DIS',   id: '4d88de1f-af69-581e-a55e-91b675770999', exchange: 'NYSE',   name: 'The Walt Disney Company Common Stock',       basePrice: 10_900, volume: 9_000_000,   trades: 38_000,  volatility: 0.26, beta: 1.05, spread: 1.0,  depth: 12 },
  { symbol: 'XOM',   id: 'fdae3d5b-89af-5e35-973d-9c1070313245', exchange: 'NYSE',   name: 'Exxon Mobil Corporation Common Stock',       basePrice: 11_700, volume: 14_000_000,  trades: 50_000,  volatility: 0.24, beta: 0.65, spread: 0.9,  depth: 14 },
  { symbol: 'F',     id: '11bd4934-b833-50d0-bcb8-01410e0f02a7', exchange: 'NYSE',   name: 'Ford Motor Company Common Stock',            basePrice: 1_310,  volume: 60_000_000,  trades: 45_000,  volatility: 0.32, beta: 1.2,  spread: 7.6,  depth: 200 },
  { symbol: 'T',     id: '31eb1fd6-cd66-54c7-b9bc-4748b4d30c8f', exchange: 'NYSE',   name: 'AT&T Inc. Common Stock',                     basePrice: 2_560,  volume: 35_000_000,  trades: 45_000,  volatility: 0.2,  beta: 0.4,  spread: 3.9,  depth: 120 },
  { symbol: 'SPY',   id: '11169d73-1600-51dd-aa33-a33dc2a584a4', exchange: 'ARCA',   name: 'State Street SPDR S&P 500 ETF Trust',        basePrice: 68_200, volume: 70_000_000,  trades: 160_000, volatility: 0.16, beta: 1.0,  spread: 0.15, depth: 20 },
  { symbol: 'QQQ',   id: 'c509a1c8-6565-51ac-8331-a30ef2d6319a', exchange: 'NASDAQ', name: 'Invesco QQQ Trust, Series 1',                basePrice: 61_500, volume: 50_000_000,  trades: 130_000, volatility: 0.2,  beta: 1.2,  spread: 0.17, depth: 18 },
]

/** One cent. */
const TICK = 10_000_000n as Price
export const TICKS_PER_DOLLAR = 100

/** Everything that can be traded, by symbol. */
export const ASSETS: ReadonlyMap<Ticker, Asset> = new Map(
  ROWS.map((row) => [
    row.symbol as Ticker,
    {
      id: row.id as AssetId,
      class: 'usEquity',
      exchange: row.exchange,
      symbol: row.symbol as Ticker,
      name: row.name,
      status: 'active',
      tradable: true,
      marginable: true,
      shortable: true,
      easyToBorrow: true,
      fractionable: true,
      tick: TICK,
    },
  ]),
)

export const PROFILES: readonly Profile[] = ROWS.map(
  ({ symbol, basePrice, volume, trades, volatility, beta, spread, depth }) => ({
    symbol: symbol as Ticker,
    basePrice,
    volume,
    trades,
    volatility,
    beta,
    spread,
    depth,
  }),
)

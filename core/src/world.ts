import { feeSettingSchema } from './account/fees/fee-rates.ts'
import { marginSchema } from './account/margin-calls/settings.ts'
import type { Money } from './amount.ts'
import type { Ticker, WorldId } from './ids.ts'
import { addedSymbolSchema } from './market/assets/added.ts'
import { importedSeriesSchema } from './market/imported.ts'
import { marketEventSchema } from './market/market-event.ts'
import { pricePathSchema } from './market/price-path.ts'
import { venueSchema } from './orders/venue/settings.ts'
import { amount, boolean, id, list, oneOf, optional, record, text, type ValueOf } from './schema.ts'

/** `nyse`: New York sessions. `always`: the market trades, and orders work, at any time. */
const hoursSchema = oneOf('nyse', 'always')
export type Hours = ValueOf<typeof hoursSchema>

/**
 * Size of fills. `unlimited`: an order that a quote reaches is filled completely. `displayed`: each quote's
 * displayed size is used up once, by time priority.
 */
const fillSizeSchema = oneOf('unlimited', 'displayed')

/** Settings of a world, recorded in its first event. */
export const worldSettingsSchema = record({
  seed: text(),
  hours: hoursSchema,
  fillSize: fillSizeSchema,
  /** From an order's acceptance until the market has it. 0: it works in the next step. */
  latencyNs: amount(),
  startingCash: amount<Money>(),
  /** Default: United States rates. */
  fees: optional(feeSettingSchema),
  /** Restricts the world to these symbols; default: all. */
  symbols: optional(list(id<Ticker>())),
  /** Custom symbols from the start, beside the built-in ones. */
  added: optional(list(addedSymbolSchema)),
  marketEvents: optional(list(marketEventSchema)),
  /** `replay`: only imported data. Default: the synthetic market. */
  market: optional(oneOf('synthetic', 'replay')),
  /** The imported series of a replay world. */
  importedData: optional(list(importedSeriesSchema)),
  /** Price paths of some symbols. */
  prices: optional(list(pricePathSchema)),
  /** Delays, rejections and fill models of the market; default: none. */
  venue: optional(venueSchema),
  /** Margin interest and margin calls; default: none. */
  margin: optional(marginSchema),
  /** Seed of the generated market; default: `seed`, which is also that of the ids. */
  marketSeed: optional(text()),
  /** The world whose market this one follows; a fork does not. */
  follows: optional(id<WorldId>()),
  /** List unknown tickers when a program first names them. */
  anySymbol: optional(boolean()),
})
export type WorldSettings = ValueOf<typeof worldSettingsSchema>

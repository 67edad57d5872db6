import type {
  ActionId,
  AddedSymbol,
  CorporateAction,
  ImportedSeries,
  MarketEvent,
  Ticker,
  WorldSettings,
} from '@quipu/core'
import type { SeriesRecord } from './store/index.ts'

/** The corporate actions of a world. */
export type WorldActions = {
  readonly actions: ReadonlyMap<ActionId, CorporateAction>
  readonly actionsSeq: number
}

/** The parts of world state that its market depends on. */
export type MarketAdditions = WorldActions & {
  readonly symbols: ReadonlyMap<Ticker, AddedSymbol>
  readonly marketEvents: readonly MarketEvent[]
  readonly removedMarketEvents?: ReadonlySet<number>
  readonly importedData?: readonly ImportedSeries[]
}

/** Everything that the market of a world is computed from, as plain data: another thread can build the same market. */
export type MarketInputs = {
  /** A unique number: each change of the market gives new inputs. */
  readonly version: number
  readonly settings: WorldSettings
  readonly added: MarketAdditions
  /** The imported series, in the order of `importedData`. */
  readonly series: readonly SeriesRecord[]
}

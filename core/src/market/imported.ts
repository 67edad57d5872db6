import type { Ticker } from '../ids.ts'
import { events, id, integer, list, oneOf, optional, record, text, type ValueOf } from '../schema.ts'

/** One imported series that the market of a world uses. */
export const importedSeriesSchema = record({
  symbol: id<Ticker>(),
  kind: oneOf('bars', 'trades', 'quotes'),
  /** For bars: `1Min`, `1Day`. */
  frame: optional(text()),
  rows: integer(),
  /** SHA-256 of the stored files; a later import is another series. */
  digest: text(),
})
export type ImportedSeries = ValueOf<typeof importedSeriesSchema>

export type ImportedCommand = {
  readonly kind: 'useImportedData'
  /** All series of the named symbols. */
  readonly data: readonly ImportedSeries[]
}

export const importedEvents = events({
  importedDataUsed: { data: list(importedSeriesSchema) },
})

import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'

/** One imported series that the market of a world uses. */
export type ImportedSeries = {
  readonly symbol: Ticker
  readonly kind: 'bars' | 'trades' | 'quotes'
  /** For bars: `1Min`, `1Day`. */
  readonly frame?: string
  readonly rows: number
  /** SHA-256 of the stored files; a later import is another series. */
  readonly digest: string
}

export type ImportedCommand = {
  readonly kind: 'useImportedData'
  /** All series of the named symbols. */
  readonly data: readonly ImportedSeries[]
}

export type ImportedEvent = {
  readonly kind: 'importedDataUsed'
  readonly at: Instant
  readonly data: readonly ImportedSeries[]
}

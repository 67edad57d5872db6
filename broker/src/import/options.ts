import type { Instant } from '@quipu/core'
import type { RowKind, Series } from '../market/store/index.ts'
import type { ImportFault } from './failures.ts'
import type { ImportGap } from './gaps.ts'

/** The command line options of an import. */
export type ImportOptions = {
  readonly kind?: RowKind
  /** `time=ts,open=o`: the column of each field. Default: guessed from the column names. */
  readonly columns?: string
  readonly symbol?: string
  /** IANA time zone of timestamps that have no offset. */
  readonly timezone?: string
  readonly frame?: string
  /** Whether a row that cannot be stored is skipped or stops the import. Default: stop. */
  readonly bad?: 'skip' | 'stop'
  /** Read and check all files, and store nothing. */
  readonly dryRun?: boolean
}

export type FileReport = {
  readonly file: string
  readonly format: string
  readonly layout: string
  readonly kind: RowKind
  /** Field and column, in the order of the file. */
  readonly mapping: ReadonlyMap<string, string>
  readonly symbol: string | undefined
  readonly frame: string | undefined
  readonly frameFrom: string | undefined
  readonly sample: readonly (readonly string[])[]
  readonly rows: number
  readonly skipped: number
  /** The first skipped rows. */
  readonly faults: readonly ImportFault[]
}

export type SeriesReport = Pick<Series, 'kind' | 'symbol' | 'frame'> & {
  readonly first: Instant
  readonly last: Instant
  /** Rows in the store; after a dry run, rows in the files. */
  readonly rows: number
  readonly added: number
  /** Only for bars in a dry run: the number of gaps, and the longest gaps. */
  readonly gaps?: { readonly count: number; readonly missing: number; readonly longest: readonly ImportGap[] }
}

export type ImportReport = {
  readonly isDryRun: boolean
  readonly files: readonly FileReport[]
  readonly series: readonly SeriesReport[]
}

/** Receives the progress of an import. */
export type ImportProgress = (now: {
  readonly file: string
  readonly bytes: number
  readonly bytesTotal: number
  readonly rows: number
}) => void

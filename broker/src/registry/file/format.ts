/** The format that this version writes and reads. */
export const WORLD_FILE_FORMAT = 1

/** A series of imported data, as its store describes it. */
export type SavedSeries = {
  readonly kind: string
  readonly symbol: string
  readonly frame?: string | undefined
  readonly digest: string
  readonly rows: number
  readonly bytes: number
  readonly first: string
  readonly last: string
}

/** A block of a series, without its bytes. */
export type SavedBlock = {
  readonly period: number
  readonly rows: number
  readonly first: number
  readonly last: number
  readonly sha256: string
}

/**
 * The first line of a world file. The file has, in this order: this line, the report of a bug report if there is one, the
 * records of the journal as in journal files, the blocks of imported data, and the last line. Every part but the
 * records begins with a line of JSON; the bytes of a part end with a line break. The last line has the SHA-256 of everything before it.
 */
export type WorldFileHeader = {
  readonly quipu: 'world'
  readonly format: number
  /** The version of Quipu that wrote the file. */
  readonly version: string
  readonly marketModel: number
  readonly world: string
  readonly seed: string
  /** The time of the clock, in nanoseconds since 1970. */
  readonly now: string
  /** The last event, and the hash over all of them. */
  readonly seq: number
  readonly hash: string
  readonly series: readonly SavedSeries[]
}

export type ReportLine = { readonly part: 'report'; readonly bytes: number }
/** `series` is an index of the series in the header. */
export type BlockLine = SavedBlock & {
  readonly part: 'block'
  readonly series: number
  readonly bytes: number
}
export type EndLine = { readonly part: 'end'; readonly sha256: string }

export const lineOf = (part: WorldFileHeader | ReportLine | BlockLine | EndLine): Buffer =>
  Buffer.from(`${JSON.stringify(part)}\n`)

/** A row that cannot be stored. Lines start at 1 and include the header; for Parquet, `line` is the row. */
export type ImportFault = { readonly file: string; readonly line: number; readonly reason: string }

/** The import stopped and stored nothing. The message says how to continue. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

/** An invalid option: an unknown column, frame or time zone. */
export class ImportUsage extends Error {
  override readonly name = 'ImportUsage'
}

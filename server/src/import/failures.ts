/** A row that can not be stored. Lines are counted from 1, the header's included; in Parquet they are rows. */
export type Fault = { readonly file: string; readonly line: number; readonly reason: string }

/** The import was given up; nothing of it is stored. The message says what to do. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

/** What was asked for can not be: an unknown column, frame or zone. */
export class ImportUsage extends Error {
  override readonly name = 'ImportUsage'
}

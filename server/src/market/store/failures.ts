/** Imported data that cannot be read; each subclass says why. */
export class DataUnreadable extends Error {}

/** A file of the store does not hold what was written into it. Nothing of it is served. */
export class StoreDamaged extends DataUnreadable {
  override readonly name = 'StoreDamaged'
  readonly file: string
  /** Where in the file. */
  readonly byte: number

  constructor(file: string, byte: number, what: string) {
    super(`${file} is damaged at byte ${byte}: ${what}`)
    this.file = file
    this.byte = byte
  }
}

/** A world uses imported data that this machine does not have, or that is damaged. */
export class ImportedDataMissing extends DataUnreadable {
  override readonly name = 'ImportedDataMissing'

  constructor(world: string, data: string, problem: string) {
    super(`world ${world} uses imported data (${data}), and ${problem}`)
  }
}

/** The store was written by a newer program than this one. */
export class StoreNewer extends DataUnreadable {
  override readonly name = 'StoreNewer'

  constructor(file: string, found: number, supported: number) {
    super(`${file} has format ${found}, this version reads up to ${supported}`)
  }
}

/** What was being read has been replaced twice meanwhile: ask again. */
export class StoreChanged extends DataUnreadable {
  override readonly name = 'StoreChanged'

  constructor(file: string) {
    super(`${file} was replaced by newer imports while it was read: ask again`)
  }
}

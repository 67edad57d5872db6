/** Imported data that cannot be read; each subclass is one reason. */
export class DataUnreadable extends Error {}

/** The content of a store file does not match its checksum. */
export class StoreDamaged extends DataUnreadable {
  override readonly name = 'StoreDamaged'
  readonly file: string
  /** The position of the damage in the file. */
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

/** The store was written by a newer version of Quipu. */
export class StoreNewer extends DataUnreadable {
  override readonly name = 'StoreNewer'

  constructor(file: string, found: number, supported: number) {
    super(`${file} has format ${found}, this version reads up to ${supported}`)
  }
}

/** The file was replaced twice by newer imports while it was read. A retry succeeds. */
export class StoreChanged extends DataUnreadable {
  override readonly name = 'StoreChanged'

  constructor(file: string) {
    super(`${file} was replaced by newer imports while it was read; try again`)
  }
}

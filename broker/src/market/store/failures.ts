/** Imported data that cannot be read; each subclass is one reason. */
export class DataUnreadable extends Error {}

/** The content of a store file is not what was written. */
export class StoreDamaged extends DataUnreadable {
  override readonly name = 'StoreDamaged'
  readonly file: string

  constructor(file: string, problem: string) {
    super(`${file} is damaged: ${problem}`)
    this.file = file
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

/** The series was replaced twice by newer imports while it was read. A retry succeeds. */
export class StoreChanged extends DataUnreadable {
  override readonly name = 'StoreChanged'

  constructor(series: string) {
    super(`${series} was replaced by newer imports while it was read; try again`)
  }
}

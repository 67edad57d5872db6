import { join } from 'node:path'

/** Where the data folder has the files of `main`. */
export const mainPaths = (
  dataFolder: string,
): {
  readonly journal: string
  readonly queryTables: string
  readonly snapshots: string
  readonly access: string
  readonly runs: string
} => ({
  journal: join(dataFolder, 'journal'),
  queryTables: join(dataFolder, 'query-tables.sqlite'),
  snapshots: join(dataFolder, 'snapshots'),
  access: join(dataFolder, 'access'),
  runs: join(dataFolder, 'runs'),
})

/** Windows has devices of these names: what a program writes to `nul.json` is lost. */
const DEVICES = 'con|prn|aux|nul|com\\d|lpt\\d'
const device = new RegExp(`^(${DEVICES})(?=\\.)`)
const storedDevice = new RegExp(`^(${DEVICES})_(?=\\.)`)

/** The files of the durable worlds other than `main`: for each a record, and a folder with the journal. */
export const worldPaths = (
  dataFolder: string,
): {
  readonly folder: string
  readonly record: (world: string) => string
  readonly journal: (name: string) => string
  /** The name of a record or a journal by the name of its file. */
  readonly nameOf: (file: string) => string
} => {
  const folder = join(dataFolder, 'worlds')
  // No name of a world has an underscore.
  const pathOf = (name: string) => join(folder, name.replace(device, '$1_'))
  return {
    folder,
    record: (world) => pathOf(`${world}.json`),
    journal: pathOf,
    nameOf: (file) => file.replace(storedDevice, '$1'),
  }
}

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

/** The files of the durable worlds other than `main`: for each a record, and a folder with the journal. */
export const worldPaths = (
  dataFolder: string,
): {
  readonly folder: string
  readonly record: (world: string) => string
  readonly journal: (name: string) => string
} => {
  const folder = join(dataFolder, 'worlds')
  return {
    folder,
    record: (world) => join(folder, `${world}.json`),
    journal: (name) => join(folder, name),
  }
}

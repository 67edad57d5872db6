import { join } from 'node:path'

/** The paths of the files of `main` in the data folder. */
export const mainPaths = (
  dataFolder: string,
): {
  readonly journal: string
  readonly views: string
  readonly snapshots: string
  readonly access: string
} => ({
  journal: join(dataFolder, 'journal'),
  views: join(dataFolder, 'views.sqlite'),
  snapshots: join(dataFolder, 'snapshots'),
  access: join(dataFolder, 'access'),
})

/** The folder of the durable worlds other than `main`. */
export const worldsPath = (dataFolder: string): string => join(dataFolder, 'worlds')

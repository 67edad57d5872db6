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

import { join } from 'node:path'

/** Where `main` keeps its files inside the data folder. */
export const mainPlaces = (
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

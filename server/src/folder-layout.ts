import { join } from 'node:path'

/** Where a durable world keeps its files inside the data folder. */
export type WorldPlaces = {
  readonly journal: string
  readonly views: string
  readonly snapshots: string
}

export function worldPlaces(dataFolder: string, world: string): WorldPlaces {
  const folder = join(dataFolder, 'worlds', world)
  return {
    journal: join(folder, 'journal'),
    views: join(folder, 'views.sqlite'),
    snapshots: join(folder, 'snapshots'),
  }
}

import { join } from 'node:path'
import { readChecked, storeChecked } from './checked-file.ts'
import { StoreNewer } from './failures.ts'
import type { Time } from './rows.ts'
import type { SeriesKey } from './series-key.ts'

/** The layout of a store that this program writes. */
export const STORE_FORMAT = 1

export type Part = {
  /** Its name in the folder `parts`. */
  readonly file: string
  readonly bytes: number
  /** Of the file. */
  readonly sha256: string
  readonly rows: number
  readonly first: Time
  readonly last: Time
}

/** A series and its parts, oldest first; two parts share at most the instant where they meet. */
export type SeriesRecord = SeriesKey & { readonly parts: readonly Part[] }

/** Everything that is in the store: what is not named here is not there. */
export type Manifest = {
  readonly format: number
  /** How many imports have been stored. */
  readonly generation: number
  readonly series: readonly SeriesRecord[]
}

export const EMPTY: Manifest = { format: STORE_FORMAT, generation: 0, series: [] }

export const manifestPath = (folder: string): string => join(folder, 'manifest.json')
export const partsFolder = (folder: string): string => join(folder, 'parts')
export const runsFolder = (folder: string): string => join(folder, 'runs')

/** A folder without one is an empty store. */
export function readManifest(folder: string): Manifest {
  const path = manifestPath(folder)
  const manifest = readChecked<Manifest>(path)
  if (manifest && manifest.format > STORE_FORMAT) throw new StoreNewer(path, manifest.format, STORE_FORMAT)
  return manifest ?? EMPTY
}

/** After this the store is what the manifest says, also after a power cut; before it, what it was. */
export const swapManifest = (folder: string, manifest: Manifest): void =>
  storeChecked(manifestPath(folder), manifest)

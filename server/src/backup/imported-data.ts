import { join } from 'node:path'
import { copyPinned } from '../market/store/index.ts'
import { MAIN } from '../worlds/worlds.ts'
import type { WorldHead } from './worlds.ts'

/** Copies the imported data that `main` and these worlds use from one data folder or backup into another. */
export function copyImportedData(from: string, to: string, worlds: readonly WorldHead[] = []): void {
  for (const world of [MAIN, ...worlds.map((one) => one.world)])
    copyPinned(world, join(from, 'market'), join(to, 'market'))
}

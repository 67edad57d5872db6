import { join } from 'node:path'
import { copyPinned } from '../market/store/index.ts'
import { MAIN } from '../worlds/worlds.ts'

/** Copies the imported data that `main` uses from one data folder or backup into another. */
export const copyImportedData = (from: string, to: string): void =>
  copyPinned(MAIN, join(from, 'market'), join(to, 'market'))

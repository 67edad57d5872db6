import { join } from 'node:path'
import { keepOwner } from '../data-folder/keep-owner.ts'
import { copyPinned } from '../market/store/index.ts'
import type { Manifest } from './manifest.ts'

type Contents = Pick<Manifest, 'world' | 'worlds'>

/** Copies the imported data that the worlds of a backup use from one data folder or backup into another. */
export function copyImportedData(from: string, to: string, { world, worlds = [] }: Contents): void {
  for (const name of [world, ...worlds.map((one) => one.world)])
    copyPinned(name, join(from, 'market'), join(to, 'market'))
  keepOwner(to)
}

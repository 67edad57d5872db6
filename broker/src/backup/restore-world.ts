import { rm } from 'node:fs/promises'
import { missing } from '@quipu/core/values'
import { marketModelOf } from '../data-folder/folder.ts'
import { worldPaths } from '../data-folder/folder-layout.ts'
import { type DurableRecord, newLedgerId } from '../registry/durable-storage.ts'
import type { CheckProgress } from './check-journal.ts'
import { BackupUnusable, StoreInUse } from './failures.ts'
import { copyImportedData } from './imported-data.ts'
import type { Manifest } from './manifest.ts'
import { checkBackup } from './restore.ts'
import { copyWorlds, differencesOf, storedWorld, worldsIn } from './worlds.ts'

export type RestoreWorldParts = {
  readonly from: string
  /** A locked data folder with `main`. */
  readonly data: string
  /** A durable world besides `main`. */
  readonly world: string
  readonly progress?: CheckProgress | undefined
}

/** Adds one world of a backup to a data folder. The other worlds are unchanged. */
export async function restoreWorld(parts: RestoreWorldParts): Promise<Manifest> {
  const { from, data, world, progress } = parts
  const manifest = await checkBackup(from, { progress, only: world })
  assertSameMarket(await marketModelOf(from), await marketModelOf(data))
  const { record } = (await storedWorld(from, world)) ?? missing(world)
  for (const name of await worldsIn(data))
    assertDifferent(record, data, ((await storedWorld(data, name)) ?? missing(name)).record)
  const journal = worldPaths(data).journal(record.journal)
  // The rest of an interrupted restore: no record has it.
  await rm(journal, { recursive: true, force: true })
  copyImportedData(from, data, manifest)
  const copies = await copyWorlds(from, data, { progress, only: world, changed: withNewLedger })
  if (differencesOf([manifest], copies).length === 0) return manifest
  await rm(worldPaths(data).record(world), { force: true })
  throw new BackupUnusable(`${from} changed while it was read; try again`)
}

/** Otherwise its next journals to other worlds may have the ids of journals that these have received after the backup. */
export const withNewLedger = (record: DurableRecord): DurableRecord => ({
  ...record,
  ledgerId: newLedgerId(),
})

export function assertSameMarket(ofBackup: number, ofStore: number): void {
  if (ofBackup !== ofStore)
    throw new BackupUnusable(
      `the backup has market model ${ofBackup}, the store has ${ofStore}: restore it into a store of the same model`,
    )
}

type Named = Pick<DurableRecord, 'world' | 'code'>

/** Keys contain the code of their world, so no two worlds of a store have the same. */
export function assertDifferent(restored: Named, where: string, existing: Named): void {
  if (existing.world === restored.world)
    throw new StoreInUse(
      `${where} already has a world ${restored.world}: delete it first with \`quipu world delete ${restored.world}\``,
    )
  if (existing.code === restored.code)
    throw new StoreInUse(
      `the keys of world ${restored.world} have the code ${restored.code}, which world ${existing.world} of ${where} has too`,
    )
}

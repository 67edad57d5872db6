import { rm } from 'node:fs/promises'
import { mainPlaces } from '../folder-layout.ts'
import { JournalDamaged, type Position } from '../journal/journal.ts'
import { verifyJournal } from '../journal/verify.ts'
import { rebuildViews } from '../views/rebuild.ts'
import { MAIN } from '../worlds.ts'
import type { Progress } from './check-books.ts'

/** Drops views and snapshots of a folder that nobody else has open, and makes them again from its journal. */
export async function rebuildStore(data: string, progress?: Progress): Promise<Position> {
  const { journal: journalFolder, views: file, snapshots } = mainPlaces(data)
  const { head, damage } = await verifyJournal(journalFolder, { progress })
  // The views may be all that is left of the damaged part.
  if (damage) throw new JournalDamaged(damage)
  await rm(snapshots, { recursive: true, force: true })
  await rebuildViews({ world: MAIN, file, journalFolder, head, snapshots, progress })
  return head
}

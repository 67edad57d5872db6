import { rm } from 'node:fs/promises'
import { type CheckedJournal, openFilesJournal } from '../journal/files.ts'
import type { Position } from '../journal/journal.ts'
import { mainPaths } from '../process/folder-layout.ts'
import { rebuildViews } from '../views/rebuild.ts'
import { MAIN } from '../worlds/worlds.ts'
import type { Progress } from './check-journal.ts'
import { assertNothingLost } from './folder-loss.ts'

/** Drops and rebuilds the views and snapshots of a folder. No other process may have it open. */
export async function rebuildStore(data: string, progress?: Progress): Promise<Position> {
  const { journal: journalFolder, views: file, snapshots } = mainPaths(data)
  // The views may be the only copy of damaged or lost events. Opening also makes the last event durable, which views
  // and snapshots rely on.
  const onChecked = ({ head }: CheckedJournal) => assertNothingLost(data, head.seq)
  const journal = await openFilesJournal(journalFolder, { onChecked })
  const head = journal.head()
  await journal.close()
  await rm(snapshots, { recursive: true, force: true })
  await rebuildViews({ world: MAIN, file, journalFolder, head, snapshots, progress })
  return head
}

import { rm } from 'node:fs/promises'
import type { AuditReport } from '../audit.ts'
import { mainPlaces } from '../folder-layout.ts'
import { JournalDamaged, type Position } from '../journal/journal.ts'
import { verifyJournal } from '../journal/verify.ts'
import { rebuildViews } from '../views/rebuild.ts'
import { MAIN } from '../worlds.ts'
import { checkBooks, type Progress } from './check-books.ts'
import { compareViews, type ViewsReport } from './compare-views.ts'

export type StoreReport = AuditReport & {
  /** Absent where there are no views, or no sound journal to hold them against. */
  readonly views?: ViewsReport
}

/**
 * Walks everything that a data folder holds: records, chain of hashes, balances, and every row of the views against
 * the journal. `head` is the last durable event where a server is writing; without one, nobody may be.
 */
export async function verifyStore(
  data: string,
  { head, progress }: { readonly head?: Position; readonly progress?: Progress } = {},
): Promise<StoreReport> {
  const report = await checkBooks(mainPlaces(data).journal, {
    ...(head ? { claimed: head } : {}),
    ...(progress ? { progress } : {}),
  })
  if (!report.sound) return report
  const found = await compareViews(data, {
    ...(head ? {} : { end: report.seq }),
    ...(progress ? { progress } : {}),
  })
  if (!found) return report
  const { problems, ...views } = found
  return { ...report, sound: problems.length === 0, problems, views }
}

/** Drops views and snapshots of a folder that nobody else has open, and makes them again from its journal. */
export async function rebuildStore(data: string, progress?: Progress): Promise<Position> {
  const { journal: journalFolder, views, snapshots } = mainPlaces(data)
  const { head, damage } = await verifyJournal(journalFolder)
  // They may be all that is left of the damaged part.
  if (damage) throw new JournalDamaged(damage)
  await rm(snapshots, { recursive: true, force: true })
  await rebuildViews({
    world: MAIN,
    file: views,
    journalFolder,
    head,
    snapshots,
    ...(progress ? { progress } : {}),
  })
  return head
}

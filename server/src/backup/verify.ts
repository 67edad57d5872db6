import type { Position } from '../journal/journal.ts'
import type { AuditReport } from '../world/audit.ts'
import { checkFolder, type Progress } from './check-journal.ts'
import { compareViews, type ViewsReport } from './compare-views.ts'

export type StoreReport = AuditReport & {
  /** Absent without views, or without a sound journal to compare them with. */
  readonly views?: ViewsReport
}

/**
 * Checks a data folder: records, hash chain, balances, and every row of the views against the journal. `head` is the
 * last durable event of a running server. Without it, no server may use the folder.
 */
export async function verifyStore(
  data: string,
  { head, progress }: { readonly head?: Position | undefined; readonly progress?: Progress } = {},
): Promise<StoreReport> {
  const report = await checkFolder(data, { expectedHead: head, progress })
  if (!report.sound) return report
  const found = await compareViews(data, progress)
  if (!found) return report
  const { problems, ...views } = found
  return { ...report, sound: problems.length === 0, problems, views }
}

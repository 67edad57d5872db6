import { mainPaths } from '../data-folder/folder-layout.ts'
import { damageText, type Entry, type JournalLost, type JournalPosition } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { verifyJournal } from '../journal/walk.ts'
import { lossInFolder } from '../registry/store/folder-loss.ts'
import { type AuditReport, auditEvents } from '../world/audit/audit.ts'

/** Called often with the number of the last processed event. */
export type CheckProgress = (seq: number) => void

export type CheckOptions = {
  /** The expected head. Default: the whole journal. */
  readonly expectedHead?: JournalPosition | undefined
  readonly progress?: CheckProgress | undefined
}

/** Reads a whole journal, sums every posting and checks the hash chain. Changes nothing. */
export async function checkJournal(
  journalFolder: string,
  { expectedHead, progress = () => {} }: CheckOptions = {},
): Promise<AuditReport> {
  const { head, damage } = await verifyJournal(journalFolder, { upTo: expectedHead?.seq, progress })
  const reader = new JournalReader(journalFolder)
  try {
    // The events before the damage are still checked.
    const expected = damage ? head : (expectedHead ?? head)
    const events = checkWithProgress(reader.read(0, Math.min(head.seq, expected.seq)), progress)
    const report = await auditEvents(events, expected)
    if (!damage) return report
    return { ...report, sound: false, problems: [`the journal is ${damageText(damage)}`, ...report.problems] }
  } finally {
    await reader.close()
  }
}

/** Checks the journal of a data folder. Files that follow the journal must not be ahead of it. */
export async function checkFolder(data: string, options: CheckOptions = {}): Promise<AuditReport> {
  const report = await checkJournal(mainPaths(data).journal, options)
  // A running server has checked this, and writes meanwhile.
  if (!report.sound || options.expectedHead) return report
  return withLoss(report, await lossInFolder(data, report.seq))
}

/** A journal that lost events at its end is not sound. */
export const withLoss = (report: AuditReport, loss: JournalLost | undefined): AuditReport =>
  loss ? { ...report, sound: false, problems: [loss.message, ...report.problems] } : report

/** The same groups, with calls of `progress`. */
export async function* checkWithProgress(
  groups: AsyncIterable<readonly Entry[]>,
  progress: CheckProgress,
): AsyncGenerator<readonly Entry[]> {
  let seq = 0
  for await (const group of groups) {
    seq += group.length
    yield group
    progress(seq)
  }
}

import { damageText, type Entry, type JournalLost, type Position } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { verifyJournal } from '../journal/verify.ts'
import { mainPlaces } from '../process/folder-layout.ts'
import { type AuditReport, auditEvents } from '../world/audit.ts'
import { lossInFolder } from './folder-loss.ts'

/** Called often with the number that work has come to. */
export type Progress = (seq: number) => void

export type BooksOptions = {
  /** What the journal is said to hold; else all that is there counts. */
  readonly claimed?: Position | undefined
  readonly progress?: Progress | undefined
}

/** Reads a whole journal, adds up every posting and follows the chain of hashes; changes nothing. */
export async function checkBooks(
  journalFolder: string,
  { claimed, progress = () => {} }: BooksOptions = {},
): Promise<AuditReport> {
  const { head, damage } = await verifyJournal(journalFolder, { upTo: claimed?.seq, progress })
  const reader = new JournalReader(journalFolder)
  try {
    // Where it is damaged, the events before that are still looked at.
    const expected = damage ? head : (claimed ?? head)
    const events = counted(reader.read(0, Math.min(head.seq, expected.seq)), progress)
    const report = await auditEvents(events, expected)
    if (!damage) return report
    return { ...report, sound: false, problems: [`the journal is ${damageText(damage)}`, ...report.problems] }
  } finally {
    await reader.close()
  }
}

/** The same for the journal of a data folder, which must not lag behind what follows it. */
export async function checkFolder(data: string, options: BooksOptions = {}): Promise<AuditReport> {
  const report = await checkBooks(mainPlaces(data).journal, options)
  // A server that runs has checked this, and goes on writing meanwhile.
  if (!report.sound || options.claimed) return report
  return withLoss(report, await lossInFolder(data, report.seq))
}

/** A journal that lost its end is not sound, however well the rest fits. */
export const withLoss = (report: AuditReport, loss: JournalLost | undefined): AuditReport =>
  loss ? { ...report, sound: false, problems: [loss.message, ...report.problems] } : report

/** The same groups, told of as they pass. */
export async function* counted(
  groups: AsyncIterable<readonly Entry[]>,
  progress: Progress,
): AsyncGenerator<readonly Entry[]> {
  let seq = 0
  for await (const group of groups) {
    seq += group.length
    yield group
    progress(seq)
  }
}

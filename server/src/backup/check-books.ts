import { type AuditReport, auditEvents } from '../audit.ts'
import { damageText, type Entry, type Position } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { verifyJournal } from '../journal/verify.ts'

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

import type { Chain } from '../chain.ts'
import { inspectTail, recordAt } from '../find-record.ts'
import { JournalDamaged } from '../journal.ts'
import { HEADER_BYTES_MAX, parseFileHeader } from '../record.ts'
import { listSegments, type SegmentFile } from '../segment-file.ts'
import { Window } from '../window.ts'

/** The last file of a journal: start and end of its last record, and the number of torn bytes after it. */
export type LastFile = SegmentFile & {
  readonly lastRecord: number | undefined
  readonly end: number
  readonly tornBytes: number
}

/** A checked file header or record. */
export type Piece = { readonly file: SegmentFile; readonly bytes: readonly Buffer[] }

/**
 * Reads every record up to a number, checks it and adds it to the chain, which is then at the last sound event.
 * Throws JournalDamaged or JournalNewer. Calls `onPiece` with each checked header and record, in order.
 */
export async function walk(
  folder: string,
  chain: Chain,
  upTo = Infinity,
  onPiece?: (piece: Piece) => Promise<void>,
): Promise<LastFile | undefined> {
  const files = await listSegments(folder)
  return walkFiles(files, chain, { end: files.at(-1), upTo, onPiece })
}

export type WalkOptions = {
  /** The last file of the journal. Only there can a torn group be one that was never acknowledged. */
  readonly end: SegmentFile | undefined
  readonly upTo?: number
  readonly onPiece?: ((piece: Piece) => Promise<void>) | undefined
}

/** Like `walk`, for consecutive files and a chain at the start of the first one. */
export async function walkFiles(
  files: readonly SegmentFile[],
  chain: Chain,
  { end, upTo = Infinity, onPiece }: WalkOptions,
): Promise<LastFile | undefined> {
  let last: LastFile | undefined
  for (const file of files) {
    if (chain.seq >= upTo) break
    const window = await Window.open(file.path)
    try {
      last = await walkFile({ file, window, chain, upTo, onPiece, isLastFile: file === end })
    } finally {
      await window.close()
    }
  }
  return last
}

type Step = {
  readonly file: SegmentFile
  readonly window: Window
  readonly chain: Chain
  readonly upTo: number
  readonly onPiece: ((piece: Piece) => Promise<void>) | undefined
  readonly isLastFile: boolean
}

async function walkFile(step: Step): Promise<LastFile> {
  const { file, window, chain, upTo, onPiece } = step
  let lastRecord: number | undefined
  let end = await checkFileHeader(step)
  await onPiece?.({ file, bytes: [await window.at(0, end)] })
  while (chain.seq < upTo) {
    const found = await recordAt(window, end)
    if (found.kind !== 'record') {
      return { ...file, lastRecord, end, tornBytes: await checkTail(step, end, found) }
    }
    const { header, payload } = found
    if (header.first !== chain.seq + 1)
      throw damaged(step, end, `expected event ${chain.seq + 1}, found event ${header.first}`)
    chain.update(payload.subarray(0, header.openBytes), header.count)
    if (onPiece) await onPiece({ file, bytes: [found.headerLine, payload] })
    lastRecord = end
    end = found.end
  }
  return { ...file, lastRecord, end, tornBytes: 0 }
}

async function checkFileHeader(step: Step): Promise<number> {
  const { file, window, chain } = step
  if (file.first !== chain.seq + 1) throw damaged(step, 0, 'the file before this one is missing or too short')
  const header = parseFileHeader(await window.at(0, HEADER_BYTES_MAX), file.path)
  if (header?.after !== chain.seq) throw damaged(step, 0, 'the header of the file does not match')
  if (header.seed !== chain.seed().toString('hex')) {
    const from = Math.max(0, chain.segment - 1) * chain.segmentEvents + 1
    throw damaged(step, 0, 'the hash of the events before does not match', from)
  }
  return header.bytes
}

// Only the last group can be torn, because each group is written after the previous one is on disk.
async function checkTail(step: Step, end: number, found: Tail): Promise<number> {
  const { writtenTo, recordFollows } = await inspectTail(
    step.window,
    end,
    (found.kind === 'bad' && found.end) || end + 1,
  )
  if (writtenTo === end) return 0
  const isTorn = found.kind === 'blank' || found.unwritten
  if (step.isLastFile && isTorn && !recordFollows) return writtenTo - end
  throw damaged(step, end, found.kind === 'blank' ? 'a record is missing here' : found.reason)
}

type Tail = Exclude<Awaited<ReturnType<typeof recordAt>>, { kind: 'record' }>

function damaged(step: Step, offset: number, reason: string, from = step.chain.seq + 1): JournalDamaged {
  return new JournalDamaged({ from, file: step.file.path, offset, reason })
}

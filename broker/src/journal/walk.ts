import { HashChain } from './chain.ts'
import { inspectTail, recordAt } from './find-record.ts'
import { type Damage, JournalDamaged, type JournalPosition } from './journal.ts'
import { HEADER_BYTES_MAX, parseFileHeader } from './record.ts'
import { listSegments, type SegmentFile } from './segment-file.ts'
import { JournalWindow } from './window.ts'

/** The last file of a journal: start and end of its last record, and the number of torn bytes after it. */
export type LastFile = SegmentFile & {
  readonly lastRecord: number | undefined
  readonly end: number
  readonly tornBytes: number
}

/** A checked file header or record. */
export type JournalPiece = { readonly file: SegmentFile; readonly bytes: readonly Buffer[] }

/**
 * Reads every record up to a number, checks it and adds it to the chain, which is then at the last sound event.
 * Throws JournalDamaged or JournalNewer. Calls `onPiece` with each checked header and record, in order.
 */
export async function walk(
  folder: string,
  chain: HashChain,
  upTo = Infinity,
  onPiece?: (piece: JournalPiece) => Promise<void>,
): Promise<LastFile | undefined> {
  const files = await listSegments(folder)
  let last: LastFile | undefined
  for (const file of files) {
    if (chain.seq >= upTo) break
    const window = await JournalWindow.open(file.path)
    try {
      // Only in the last file can a torn group be one that was never acknowledged.
      last = await walkFile({ file, window, chain, upTo, onPiece, isLastFile: file === files.at(-1) })
    } finally {
      await window.close()
    }
  }
  return last
}

/** `head` is the last sound event. A torn group at the end is not damage, because it was never acknowledged. */
export type WalkVerdict = {
  readonly head: JournalPosition
  readonly tornBytes: number
  readonly damage?: Damage
}

type VerifyOptions = {
  /** The last durable event, when the journal is in use during the check. */
  readonly upTo?: number | undefined
  /** Called often with the number of the last checked event. */
  readonly progress?: ((seq: number) => void) | undefined
  readonly segmentEvents?: number
}

/** Reads and checks the whole journal of a folder without changing it. */
export async function verifyJournal(folder: string, options: VerifyOptions = {}): Promise<WalkVerdict> {
  const chain = new HashChain(options.segmentEvents)
  try {
    const { upTo, progress } = options
    const last = await walk(folder, chain, upTo, progress && (async () => progress(chain.seq)))
    return { head: chain.position, tornBytes: last?.tornBytes ?? 0 }
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error
    return { head: chain.position, tornBytes: 0, damage: error.damage }
  }
}

type WalkStep = {
  readonly file: SegmentFile
  readonly window: JournalWindow
  readonly chain: HashChain
  readonly upTo: number
  readonly onPiece: ((piece: JournalPiece) => Promise<void>) | undefined
  readonly isLastFile: boolean
}

async function walkFile(step: WalkStep): Promise<LastFile> {
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

async function checkFileHeader(step: WalkStep): Promise<number> {
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
async function checkTail(step: WalkStep, end: number, found: Tail): Promise<number> {
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

function damaged(step: WalkStep, offset: number, reason: string, from = step.chain.seq + 1): JournalDamaged {
  return new JournalDamaged({ from, file: step.file.path, offset, reason })
}

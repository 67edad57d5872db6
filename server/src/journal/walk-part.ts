import { Chain } from './chain.ts'
import { recordAt } from './find-record.ts'
import { HEADER_BYTES_MAX, parseFileHeader } from './record.ts'
import type { SegmentFile } from './segment-file.ts'
import { type LastFile, walkFiles } from './walk.ts'
import { Window } from './window.ts'

const NEWLINE = 0x0a
const UNKNOWN = Buffer.alloc(32)

/** Some files of a journal in a row: from one number of the list up to another, which is not among them. */
export type Part = {
  readonly files: readonly SegmentFile[]
  readonly from: number
  readonly to: number
  readonly segmentEvents: number
}

export type WalkedPart = {
  /** Stands at the part's end; seeds of segments before the part are unknown. */
  readonly chain: Chain
  /** What the part begins with, by its own word: the event before, and the seed of the segment there. */
  readonly after: number
  readonly seed: Buffer
  readonly last: LastFile | undefined
}

/**
 * Checks a part of a journal without what comes before it: it believes what its first file says about that, which is
 * for the caller to hold against the end of the part before. Throws where anything is not as it should be.
 */
export async function walkPart({ files, from, to, segmentEvents }: Part): Promise<WalkedPart> {
  const chain = await chainBefore(files, from, segmentEvents)
  const [after, seed] = [chain.seq, chain.seed()]
  const last = await walkFiles(files.slice(from, to), chain, { end: files.at(-1) })
  return { chain, after, seed, last }
}

async function chainBefore(
  files: readonly SegmentFile[],
  index: number,
  segmentEvents: number,
): Promise<Chain> {
  if (index === 0) return new Chain(segmentEvents)
  const { path } = files[index]!
  const header = await inWindow(path, async (window) =>
    parseFileHeader(await window.at(0, HEADER_BYTES_MAX), path),
  )
  if (!header) throw new Error(`${path} has no header`)
  const segment = Math.floor(header.after / segmentEvents)
  const seeds = new Array<Buffer>(segment).fill(UNKNOWN)
  const chain = new Chain(segmentEvents, [...seeds, Buffer.from(header.seed, 'hex')])
  // A group is not split: events of this segment may stand in the last record of the file before.
  const earlier = header.after - chain.seq
  if (earlier > 0) chain.update(await lastLines(files[index - 1]!.path, earlier), earlier)
  return chain
}

/** The last so many events of a file, all of them in its last record. */
function lastLines(path: string, count: number): Promise<Buffer> {
  return inWindow(path, async (window) => {
    const header = parseFileHeader(await window.at(0, HEADER_BYTES_MAX), path)
    let open: Buffer = Buffer.alloc(0)
    let found = await recordAt(window, header?.bytes ?? 0)
    while (found.kind === 'record') {
      open = found.payload.subarray(0, found.header.openBytes)
      found = await recordAt(window, found.end)
    }
    let start = open.length
    for (let line = 0; line < count; line++) start = open.lastIndexOf(NEWLINE, start - 2) + 1
    return open.subarray(start)
  })
}

async function inWindow<Value>(path: string, use: (window: Window) => Promise<Value>): Promise<Value> {
  const window = await Window.open(path)
  try {
    return await use(window)
  } finally {
    await window.close()
  }
}

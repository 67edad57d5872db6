import { Chain } from '../chain.ts'
import { Parts } from '../entry.ts'
import { recordAt } from '../find-record.ts'
import { HEADER_BYTES_MAX, parseFileHeader } from '../record.ts'
import type { SegmentFile } from '../segment-file.ts'
import { Window } from '../window.ts'
import { type LastFile, walkFiles } from './walk.ts'

const UNKNOWN = Buffer.alloc(32)

/** Consecutive files of a journal: indexes `from` to `to` (exclusive) of the list. */
export type Part = {
  readonly files: readonly SegmentFile[]
  readonly from: number
  readonly to: number
  readonly segmentEvents: number
}

export type WalkedPart = {
  /** The chain at the end of the part. It does not know the seeds of segments before the part. */
  readonly chain: Chain
  /** The number of the event before the part and the seed of its segment, as the first file states them. */
  readonly after: number
  readonly seed: Buffer
  readonly last: LastFile | undefined
}

/**
 * Checks a part of a journal without the files before it. It trusts the header of its first file; the caller compares
 * that header with the end of the previous part. Throws on any damage.
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
  // A group is not split, so the last record of the previous file may contain events of this segment.
  const earlier = header.after - chain.seq
  if (earlier > 0) chain.update(await lastEvents(files[index - 1]!.path, earlier), earlier)
  return chain
}

/** The last `count` events of a file, all of them in its last record. */
function lastEvents(path: string, count: number): Promise<Buffer> {
  return inWindow(path, async (window) => {
    const header = parseFileHeader(await window.at(0, HEADER_BYTES_MAX), path)
    let open: Buffer = Buffer.alloc(0)
    let earlier = 0
    let found = await recordAt(window, header?.bytes ?? 0)
    while (found.kind === 'record') {
      open = found.payload.subarray(0, found.header.openBytes)
      earlier = found.header.count - count
      found = await recordAt(window, found.end)
    }
    const parts = new Parts(open)
    parts.advance(earlier)
    return open.subarray(parts.at)
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

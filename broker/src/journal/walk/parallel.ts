import { availableParallelism } from 'node:os'
import { lastOf } from '@quipu/core/values'
import { runInThread } from '../../threads/run-in-thread.ts'
import { Chain, SEGMENT_EVENTS } from '../chain.ts'
import { listSegments, type SegmentFile } from '../segment-file.ts'
import { type Part, walkPart } from './part.ts'
import { type LastFile, walkFiles } from './walk.ts'

/** With fewer files, starting a thread costs more than it saves. */
const FILES_MIN = 8
const THREADS_MAX = 4

/** The result of a thread for its part; undefined if the part is damaged. */
export type PartResult =
  | {
      readonly after: number
      readonly seed: Uint8Array
      readonly seeds: readonly Uint8Array[]
      readonly next: { readonly seq: number; readonly seed: Uint8Array }
    }
  | undefined

export type Walked = { readonly chain: Chain; readonly last: LastFile | undefined }

/**
 * Checks a whole journal like `walk`, a large one with several threads. If a thread finds damage, one thread checks
 * the journal again from the start and reports the kind and the location of the damage.
 */
export async function walkInParallel(
  folder: string,
  { segmentEvents = SEGMENT_EVENTS, filesMin = FILES_MIN },
): Promise<Walked> {
  const files = await listSegments(folder)
  const sound = files.length < filesMin ? undefined : await walkParts(files, segmentEvents)
  if (sound) return sound
  const chain = new Chain(segmentEvents)
  return { chain, last: await walkFiles(files, chain, { end: files.at(-1) }) }
}

/** This thread checks the last part, because the journal continues from its chain. */
async function walkParts(files: readonly SegmentFile[], segmentEvents: number): Promise<Walked | undefined> {
  const count = Math.min(Math.max(availableParallelism(), 2), THREADS_MAX)
  const size = Math.ceil(files.length / count)
  const parts: Part[] = []
  for (let from = 0; from < files.length; from += size)
    parts.push({ files, from, to: Math.min(from + size, files.length), segmentEvents })
  const results = Promise.all(parts.slice(0, -1).map(walkInThread))
  const [before, end] = await Promise.all([results, walkPart(lastOf(parts)).catch(() => undefined)])
  if (!end) return undefined
  const { chain, after, seed, last } = end
  const known = joined([...before, { after, seed, seeds: chain.seeds, next: { seq: chain.seq, seed } }])
  return known && { chain: chain.copy(known.map((one) => Buffer.from(one))), last }
}

const walkInThread = (part: Part): Promise<PartResult> =>
  runInThread<PartResult>(import.meta.url, 'walk-thread', part).catch(() => undefined)

/** The seeds of all segments, if each part starts with the position and seed at which the previous one ends. */
function joined(parts: readonly PartResult[]): readonly Uint8Array[] | undefined {
  const seeds: Uint8Array[] = []
  let before: PartResult
  for (const part of parts) {
    if (!part) return undefined
    if (before && !(before.next.seq === part.after && Buffer.compare(before.next.seed, part.seed) === 0))
      return undefined
    // A part does not know the seeds of earlier segments, and the previous part may have started its first segment.
    for (let segment = before ? seeds.length : 0; segment < part.seeds.length; segment++)
      seeds[segment] = part.seeds[segment]!
    before = part
  }
  return seeds
}

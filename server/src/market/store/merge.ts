import { appendOnce } from './one-time.ts'
import type { BlockEntry } from './part-format.ts'
import {
  appendRows,
  compareTimes,
  firstRow,
  type Kind,
  makeRows,
  type Rows,
  type Time,
  timeAt,
} from './rows.ts'
import type { SeriesOutput } from './series-output.ts'

/** Rows of one source, in order of time; those of the disk can also be had as the bytes they are. */
export type MergeBlock = {
  readonly first: Time
  readonly last: Time
  readonly rows: number
  readonly load: () => Rows
  readonly stored?: { readonly entry: BlockEntry; readonly payload: () => Buffer }
}

/** Blocks in order of time, each row but once. */
export type MergeSource = readonly MergeBlock[]

/** All rows of all sources in order of time, each but once: of the same one in two sources, the later source's counts. */
export function merge(kind: Kind, sources: readonly MergeSource[], output: SeriesOutput): void {
  const cursors = sources.map((source) => new Cursor(source))
  for (;;) {
    const live = cursors.filter((cursor) => !cursor.isDone)
    const [lead, next] = firstTwo(live)
    if (!lead) return
    const until = next?.head
    if (until && compareTimes(lead.head, until) === 0) mergeTime(kind, live, lead.head, output)
    else step(lead, until, output)
  }
}

/** The cursor with the earliest row, and the next one; the older source first where they are level. */
function firstTwo(live: readonly Cursor[]): readonly [Cursor | undefined, Cursor | undefined] {
  let [first, second]: [Cursor | undefined, Cursor | undefined] = [undefined, undefined]
  for (const cursor of live)
    if (!first || compareTimes(cursor.head, first.head) < 0) [first, second] = [cursor, first]
    else if (!second || compareTimes(cursor.head, second.head) < 0) second = cursor
  return [first, second]
}

/** Moves what one source has before the next one's first row: a whole block as it is, if that can be. */
function step(cursor: Cursor, until: Time | undefined, output: SeriesOutput): void {
  const { block } = cursor
  const isAlone = cursor.isAtStart && (!until || compareTimes(block.last, until) < 0)
  if (isAlone && block.stored && output.takesWhole(block.rows)) {
    output.copy(block.stored.payload(), block.stored.entry)
    return cursor.moveTo(block.rows)
  }
  const { rows } = cursor
  const end = until ? firstRow(rows, until) : rows.count
  output.add(rows, cursor.row, end)
  cursor.moveTo(end)
}

/** All rows of one time, which more than one source has. */
function mergeTime(kind: Kind, live: readonly Cursor[], time: Time, output: SeriesOutput): void {
  const group = makeRows(kind, 8)
  for (const cursor of live)
    while (!cursor.isDone && compareTimes(cursor.head, time) === 0) {
      const end = firstRow(cursor.rows, time, true)
      appendRows(group, cursor.rows, cursor.row, end)
      cursor.moveTo(end)
    }
  const once = makeRows(kind, group.count)
  appendOnce(once, group, 0, group.count)
  output.add(once, 0, once.count)
}

/** Where the merge is in a source. */
class Cursor {
  readonly #source: MergeSource
  #block = 0
  #rows: Rows | undefined
  row = 0

  constructor(source: MergeSource) {
    this.#source = source
  }

  get isDone(): boolean {
    return this.#block >= this.#source.length
  }

  get isAtStart(): boolean {
    return this.row === 0
  }

  get block(): MergeBlock {
    return this.#source[this.#block]!
  }

  get rows(): Rows {
    return (this.#rows ??= this.block.load())
  }

  /** The time of the next row. */
  get head(): Time {
    return this.row === 0 ? this.block.first : timeAt(this.rows, this.row)
  }

  moveTo(row: number): void {
    this.row = row
    if (row < this.block.rows) return
    this.#block++
    this.#rows = undefined
    this.row = 0
  }
}

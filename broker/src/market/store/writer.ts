import type { DatabaseSync } from 'node:sqlite'
import { missing } from '@quipu/core/values'
import { decodeBlock, encodeBlock } from './block.ts'
import { BlockTable } from './block-table.ts'
import { blockDigest, checksumOf, type SeriesRecord } from './blocks.ts'
import { beginImport, databasePath, openMarketDatabase, readingDatabase } from './database.ts'
import { StoreDamaged } from './failures.ts'
import { pinnedBy, readPins } from './pins.ts'
import {
  appendRows,
  exactOf,
  FIELDS,
  instantAt,
  makeRows,
  nanosAt,
  type Rows,
  textAt,
  valueAt,
} from './rows.ts'
import { periodOf, type SeriesKey, seriesName } from './series-key.ts'
import { SeriesTable } from './series-table.ts'

export type WriteOptions = {
  /** Rows that wait in memory before they are written; 500,000 bars take about 40 MB. */
  readonly rowsInMemory?: number | undefined
}

const ROWS_IN_MEMORY = 500_000

/** The result of an import for one series. */
export type Stored = SeriesKey & { readonly rows: number; readonly added: number }

/** Receives the rows of one series. */
export type SeriesIntake = { readonly add: (rows: Rows, from: number, to: number) => void }

type Intake = SeriesIntake & { readonly key: SeriesKey; rows: Rows }

/**
 * One import in one transaction: rows of any series in any order. A killed or aborted import changes nothing.
 * Blocks that an import replaces stay for readers until the next import begins, and as long as a world pins them.
 */
export class StoreWriter {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #generation: number
  readonly #blocks: BlockTable
  readonly #series: SeriesTable
  readonly #release: () => void
  readonly #rowsMax: number
  readonly #intakes = new Map<string, Intake>()
  readonly #removed = new Set<string>()
  #waiting = 0
  #isOpen = true

  /** The folder is locked; `release` unlocks it. */
  constructor(folder: string, release: () => void, { rowsInMemory = ROWS_IN_MEMORY }: WriteOptions) {
    this.#path = databasePath(folder)
    this.#release = release
    this.#rowsMax = rowsInMemory
    const pinned = pinnedBy(folder).flatMap((world) => readPins(folder, world))
    const database = openMarketDatabase(folder, true) ?? missing('the store')
    this.#database = database
    this.#generation = readingDatabase(this.#path, () => beginImport(database))
    this.#blocks = readingDatabase(this.#path, () => new BlockTable(database, this.#generation))
    this.#series = new SeriesTable(database)
    readingDatabase(this.#path, () => this.#blocks.deleteReplaced(pinned))
  }

  series(key: SeriesKey): SeriesIntake {
    const name = seriesName(key)
    const known = this.#intakes.get(name)
    if (known) return known
    const intake: Intake = {
      key,
      rows: makeRows(key.kind, 0),
      add: (rows, from, to) => {
        appendRows(intake.rows, rows, from, to)
        this.#waiting += to - from
        if (this.#waiting >= this.#rowsMax) readingDatabase(this.#path, () => this.#flush())
      },
    }
    this.#intakes.set(name, intake)
    return intake
  }

  /** Deletes the rows that the series had before this import. */
  remove(key: SeriesKey): void {
    this.#removed.add(seriesName(key))
  }

  /** Stores the import durably. If it throws, nothing has changed. */
  commit(): readonly Stored[] {
    try {
      return readingDatabase(this.#path, () => this.#commit())
    } finally {
      this.abort()
    }
  }

  /** Ends an import without changes. */
  abort(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // SQLite ends the transaction without changes, unless it was committed.
    this.#database.close()
    this.#intakes.clear()
    this.#release()
  }

  #commit(): readonly Stored[] {
    if (this.#intakes.size === 0 && this.#removed.size === 0) return []
    this.#flush()
    const stored = [...this.#intakes].map(([name, { key }]) => {
      const before = this.#removed.has(name) ? 0 : this.#series.rowsOf(name)
      const rows = this.#summarize(name, key)
      return { ...key, rows, added: rows - before }
    })
    for (const name of this.#removed) if (!this.#intakes.has(name)) this.#series.delete(name)
    this.#database.exec('COMMIT')
    return stored
  }

  #flush(): void {
    for (const name of this.#removed) this.#blocks.removeEarlier(name)
    for (const [name, intake] of this.#intakes) {
      const rows = sorted(intake.rows)
      intake.rows = makeRows(intake.key.kind, 0)
      for (let from = 0; from < rows.count; ) from = this.#storePeriod(name, intake.key, rows, from)
    }
    this.#waiting = 0
  }

  /** Merges the rows of one period into its block; returns the first row after the period. */
  #storePeriod(name: string, key: SeriesKey, rows: Rows, from: number): number {
    const length = periodOf(key)
    const period = Math.floor(valueAt(rows.micros, from) / length)
    let to = from + 1
    while (to < rows.count && valueAt(rows.micros, to) < (period + 1) * length) to++
    const known = this.#blocks.at(name, period)
    if (!known) {
      this.#blocks.insert(name, period, rows, from, to)
      return to
    }
    if (checksumOf(known.data) !== known.sha256)
      throw new StoreDamaged(this.#path, `a block of ${name} has another checksum`)
    const merged = decodeBlock(key.kind, known.data)
    appendRows(merged, rows, from, to)
    const once = sorted(merged)
    if (checksumOf(encodeBlock(once, 0, once.count)) === known.sha256) return to
    this.#blocks.remove(known)
    this.#blocks.insert(name, period, once, 0, once.count)
    return to
  }

  /** Updates the record of a series after its blocks have changed; returns its rows. */
  #summarize(name: string, key: SeriesKey): number {
    const blocks = this.#blocks.summaries(name)
    if (blocks.length === 0) return 0
    const first = decodeBlock(key.kind, this.#blocks.edge(name, 'ASC'))
    const last = decodeBlock(key.kind, this.#blocks.edge(name, 'DESC'))
    const record: SeriesRecord = {
      ...key,
      generation: this.#generation,
      digest: blockDigest(key, blocks),
      rows: blocks.reduce((sum, { rows }) => sum + rows, 0),
      bytes: blocks.reduce((sum, { bytes }) => sum + bytes, 0),
      first: String(instantAt(first, 0)),
      last: String(instantAt(last, last.count - 1)),
    }
    this.#series.save(record)
    return record.rows
  }
}

/** Sorts rows by time and removes duplicates. Rows that already ascend are returned unchanged. */
export function sorted(rows: Rows): Rows {
  if (isRising(rows)) return rows
  const order = orderOf(rows)
  const inOrder = makeRows(rows.kind, rows.count)
  for (const row of order) appendRows(inOrder, rows, row, row + 1)
  const once = makeRows(rows.kind, rows.count)
  for (let from = 0; from < inOrder.count; ) {
    const to = endOfTime(inOrder, from)
    appendOnce(once, inOrder, from, to)
    from = to
  }
  return once
}

function isRising(rows: Rows): boolean {
  const { micros, count } = rows
  for (let row = 1; row < count; row++) {
    const step = valueAt(micros, row) - valueAt(micros, row - 1)
    if (step < 0 || (step === 0 && nanosAt(rows, row) <= nanosAt(rows, row - 1))) return false
  }
  return true
}

/** The row indexes in order of time; rows of the same time keep their order. */
function orderOf(rows: Rows): Uint32Array {
  const { micros, count } = rows
  const order = new Uint32Array(count)
  for (let row = 0; row < count; row++) order[row] = row
  return order.sort(
    (a, b) => valueAt(micros, a) - valueAt(micros, b) || nanosAt(rows, a) - nanosAt(rows, b) || a - b,
  )
}

/** The first row after `from` with another time. */
function endOfTime({ micros, nanos, count }: Rows, from: number): number {
  let row = from + 1
  while (row < count && micros[row] === micros[from] && nanos[row] === nanos[from]) row++
  return row
}

/**
 * Appends rows of the same time without duplicates. The later of two duplicates replaces the earlier one. Bars of the same
 * time are duplicates; trades if they have the same id and exchange, or no id and equal columns; quotes if all columns
 * are equal.
 */
function appendOnce(target: Rows, rows: Rows, from: number, to: number): void {
  if (to - from === 1) return appendRows(target, rows, from, to)
  // A Map keeps the position of a key that is set again.
  const kept = new Map<string, number>()
  for (let row = from; row < to; row++) kept.set(identity(rows, row), row)
  for (const row of kept.values()) appendRows(target, rows, row, row + 1)
}

const ID = FIELDS.trades.numbers.indexOf('id')
const EXCHANGE = FIELDS.trades.texts.indexOf('exchange')

function identity(rows: Rows, row: number): string {
  if (rows.kind === 'bars') return ''
  if (rows.kind === 'trades' && !Number.isNaN(rows.numbers[ID]?.[row])) {
    const exact = textAt(rows, exactOf('trades', ID), row)
    return `${exact || rows.numbers[ID]?.[row]} ${textAt(rows, EXCHANGE, row)}`
  }
  const numbers = rows.numbers.map((column) => column[row])
  const texts = rows.texts.map((_, text) => textAt(rows, text, row))
  return JSON.stringify([numbers, texts])
}

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder } from '../../process/folder.ts'
import { syncFolder } from './checked-file.ts'
import {
  type Manifest,
  type Part,
  partsFolder,
  readManifest,
  runsFolder,
  type SeriesRecord,
  STORE_FORMAT,
  swapManifest,
} from './manifest.ts'
import { type MergeSource, merge } from './merge.ts'
import { PartReader } from './part-file.ts'
import { pinnedBy, readPins } from './pins.ts'
import { appendRows, compareTimes, makeRows, type Rows } from './rows.ts'
import { Runs, rowsInMemory, storedBlocks } from './runs.ts'
import { type SeriesKey, seriesName } from './series-key.ts'
import { SeriesOutput } from './series-output.ts'
import { sorted } from './sort-rows.ts'

export type WriteOptions = {
  /** So many rows wait in memory before they are sorted and laid aside; 500,000 bars are some 40 MB. */
  readonly rowsInMemory?: number
  /** A part that has grown to this size is followed by another, so that an import writes little anew; 32 MB. */
  readonly partBytes?: number
}

const ROWS_IN_MEMORY = 500_000
const PART_BYTES = 32 * 1024 * 1024

/** Rows of a series wait in pieces of this size, so that long ones are not copied while they grow. */
const PIECE_ROWS = 65_536

/** What an import did to one series. */
export type Stored = SeriesKey & { readonly rows: number; readonly added: number }

/** Rows of one series on their way into the store. */
export type SeriesIntake = { readonly add: (rows: Rows, from: number, to: number) => void }

type Intake = SeriesIntake & {
  readonly key: SeriesKey
  /** Full pieces, and the one that is being filled. */
  full: Rows[]
  rows: Rows
  readonly runs: MergeSource[]
}

/**
 * One import: rows of any series in any order, then all of it at once or nothing. Until the manifest is swapped the
 * store is what it was; whatever a killed import leaves behind, the next one sweeps away.
 */
export class StoreWriter {
  readonly #folder: string
  readonly #release: () => void
  readonly #manifest: Manifest
  readonly #rowsMax: number
  readonly #partBytes: number
  readonly #intakes = new Map<string, Intake>()
  readonly #removed = new Set<string>()
  readonly #runs: Runs
  readonly #generation: number
  #waiting = 0

  /** The folder is locked; `release` frees it. */
  constructor(folder: string, release: () => void, options: WriteOptions) {
    this.#folder = folder
    this.#release = release
    this.#rowsMax = options.rowsInMemory ?? ROWS_IN_MEMORY
    this.#partBytes = options.partBytes ?? PART_BYTES
    this.#manifest = readManifest(folder)
    this.#runs = new Runs(folder)
    for (const path of [partsFolder(folder), runsFolder(folder)]) ensureFolder(path)
    sweep(folder, this.#manifest)
    this.#generation = nextGeneration(folder, this.#manifest)
  }

  series(key: SeriesKey): SeriesIntake {
    const name = seriesName(key)
    const known = this.#intakes.get(name)
    if (known) return known
    const intake: Intake = {
      key,
      full: [],
      rows: makeRows(key.kind, 0),
      runs: [],
      add: (rows, from, to) => {
        take(intake, rows, from, to)
        this.#waiting += to - from
        if (this.#waiting >= this.#rowsMax) this.#layAside()
      },
    }
    this.#intakes.set(name, intake)
    return intake
  }

  /** What the series had before this import is dropped with it. */
  remove(key: SeriesKey): void {
    this.#removed.add(seriesName(key))
  }

  /** After this the import is in the store, whatever happens; if it throws, nothing has changed. */
  commit(): readonly Stored[] {
    try {
      return this.#commit()
    } finally {
      this.abort()
    }
  }

  #commit(): readonly Stored[] {
    const stored: Stored[] = []
    const series = new Map(this.#manifest.series.map((record) => [seriesName(record), record]))
    for (const name of this.#removed) series.delete(name)
    for (const [name, intake] of this.#intakes) {
      const before = series.get(name)?.parts ?? []
      const parts = this.#store(name, intake, before)
      series.set(name, { ...intake.key, parts })
      stored.push({ ...intake.key, rows: rowsOf(parts), added: rowsOf(parts) - rowsOf(before) })
    }
    if (stored.length > 0 || this.#removed.size > 0) this.#swap([...series.values()])
    return stored
  }

  /** Gives the import up; nothing has changed. */
  abort(): void {
    this.#runs.drop()
    this.#intakes.clear()
    this.#release()
  }

  #swap(series: readonly SeriesRecord[]): void {
    syncFolder(partsFolder(this.#folder))
    const order = (a: SeriesRecord, b: SeriesRecord): number => (seriesName(a) < seriesName(b) ? -1 : 1)
    swapManifest(this.#folder, {
      format: STORE_FORMAT,
      generation: this.#generation,
      series: series.toSorted(order),
    })
  }

  #layAside(): void {
    const all = [...this.#intakes.values()].flatMap((intake) =>
      piecesOf(intake).map((rows) => ({ intake, rows })),
    )
    const sources = this.#runs.layAside(all.map(({ rows }) => sorted(rows)))
    for (const [number, { intake }] of all.entries()) {
      intake.runs.push(sources[number]!)
      intake.full = []
      intake.rows = makeRows(intake.key.kind, 0)
    }
    this.#waiting = 0
  }

  /** Writes the parts that the new rows touch anew, and keeps the others. */
  #store(name: string, intake: Intake, parts: readonly Part[]): readonly Part[] {
    const { key, runs } = intake
    const sources = [...runs, ...piecesOf(intake).map((rows) => [rowsInMemory(sorted(rows))])]
    if (sources.length === 0) return parts
    const { from, to } = touched(parts, sources, this.#partBytes / 2)
    const readers = parts
      .slice(from, to)
      .map(({ file }) => new PartReader(join(partsFolder(this.#folder), file)))
    const output = new SeriesOutput(
      partsFolder(this.#folder),
      key.kind,
      this.#partBytes,
      (number) => `${name}.${this.#generation}-${number}`,
    )
    try {
      const existing = readers.flatMap((reader) => storedBlocks(reader, key.kind, reader.entries))
      merge(key.kind, [existing, ...sources], output)
      return [...parts.slice(0, from), ...output.finish(), ...parts.slice(to)]
    } catch (error) {
      output.abandon()
      throw error
    } finally {
      for (const reader of readers) reader.close()
    }
  }
}

const piecesOf = ({ full, rows }: Intake): readonly Rows[] => (rows.count > 0 ? [...full, rows] : full)

function take(intake: Intake, rows: Rows, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + PIECE_ROWS - intake.rows.count)
    appendRows(intake.rows, rows, at, end)
    at = end
    if (intake.rows.count < PIECE_ROWS) continue
    intake.full.push(intake.rows)
    intake.rows = makeRows(intake.key.kind, PIECE_ROWS)
  }
}

/** The parts that overlap the sources in time, and the neighbours that are still small. */
function touched(
  parts: readonly Part[],
  sources: readonly MergeSource[],
  small: number,
): { from: number; to: number } {
  const firsts = sources.map((source) => source[0]!.first).sort(compareTimes)
  const lasts = sources.map((source) => source.at(-1)!.last).sort(compareTimes)
  const [first, last] = [firsts[0]!, lasts.at(-1)!]
  let from = parts.findIndex((part) => compareTimes(part.last, first) >= 0)
  if (from < 0) from = parts.length
  let to = from
  while (to < parts.length && compareTimes(parts[to]!.first, last) <= 0) to++
  const isSmall = (part: Part | undefined): boolean => part !== undefined && part.bytes < small
  if (isSmall(parts[from - 1])) from--
  if (isSmall(parts[to])) to++
  return { from, to }
}

/** Above that of every file in the folder: a restored folder has files, and no manifest. */
function nextGeneration(folder: string, manifest: Manifest): number {
  let newest = manifest.generation
  for (const file of readdirSync(partsFolder(folder)))
    newest = Math.max(newest, Number(/\.(\d+)-\d+$/.exec(file)?.[1] ?? 0))
  return newest + 1
}

const rowsOf = (parts: readonly Part[]): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/**
 * Removes files that neither the manifest nor a pin names. Files that the last import replaced stayed until now for
 * readers. The pins are read after the manifest: a world pins what the manifest names.
 */
function sweep(folder: string, manifest: Manifest): void {
  const pinned = pinnedBy(folder).flatMap((world) => readPins(folder, world))
  const named = new Set([...manifest.series, ...pinned].flatMap(({ parts }) => parts.map(({ file }) => file)))
  for (const file of readdirSync(partsFolder(folder)))
    if (!named.has(file)) rmSync(join(partsFolder(folder), file), { force: true })
  for (const file of readdirSync(runsFolder(folder))) rmSync(join(runsFolder(folder), file), { force: true })
}

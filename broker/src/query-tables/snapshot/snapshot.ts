import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { decode, encode, type State } from '@quipu/core'
import { diskOperations, makeFolder, writeAll } from '../../data-folder/file-operations.ts'
import type { Journal, JournalPosition } from '../../journal/journal.ts'
import { JournalWindow } from '../../journal/window.ts'
import { type StatePart, stateLines } from './state-lines.ts'
import { StateReader } from './state-reader.ts'

/**
 * A state in a file, so that a start need not replay the whole journal. A snapshot that fails one of three checks is
 * ignored:
 *
 * format    this version knows the parts of the state and their meaning
 * hash      the snapshot was taken from this journal
 * checksum  every byte is unchanged
 *
 * The file has a header line, the lines of the state, and the SHA-256 of all these lines. It is written and read in
 * pieces, so that only the disk limits its size. Raise the format when the same events lead to another state, or when
 * the lines change. A test reports when that is needed.
 */
export const SNAPSHOT_FORMAT = 6

const BLOCK_BYTES = 1024 * 1024

const HEADER_BYTES_MAX = 256
const NEWLINE = 0x0a

type Header = JournalPosition & { readonly format: number }
type FoundSnapshot = { readonly path: string; readonly seq: number }

/**
 * Writes a snapshot of a state and returns its path; `hash` is the journal hash at its number. Deletes all but the
 * newest `keep` snapshots.
 */
export async function writeSnapshot(
  folder: string,
  state: State,
  { hash, keep }: { readonly hash: string; readonly keep: number },
): Promise<string> {
  await makeFolder(diskOperations, folder)
  const unfinished = join(folder, 'next.tmp')
  const file = await diskOperations.open(unfinished, 'w')
  try {
    let at = 0
    for (const line of snapshotLines(state, hash)) {
      const bytes = Buffer.from(line)
      await writeAll(diskOperations, file, bytes, at)
      at += bytes.length
    }
    await diskOperations.sync(file)
  } finally {
    await diskOperations.close(file)
  }
  const path = pathOf(folder, state.seq)
  await diskOperations.rename(unfinished, path)
  await diskOperations.syncFolder(folder)
  await prune(folder, state.seq, keep)
  return path
}

/** The state of the newest usable snapshot up to a number. */
export async function loadSnapshot(
  folder: string,
  journal: Journal,
  upTo = journal.head().seq,
): Promise<State | undefined> {
  for await (const { path } of soundSnapshots(folder, journal, upTo)) {
    const state = await readSnapshot(path)
    if (state) return state
  }
  return undefined
}

/** Snapshots of this journal up to a number, newest first. Their checksums are not checked yet. */
export async function* soundSnapshots(
  folder: string,
  journal: Journal,
  upTo: number,
): AsyncGenerator<FoundSnapshot, undefined> {
  for (const found of await listSnapshots(folder)) {
    if (found.seq > upTo) continue
    if (await isOfJournal(await readHeader(found.path), found.seq, journal)) yield found
  }
}

/** The state in a file, if the file is readable, complete and in the current format. */
export async function readSnapshot(path: string, part?: StatePart): Promise<State | undefined> {
  const reader = new SnapshotReader(part)
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: BLOCK_BYTES })) reader.take(bytes)
  } catch {
    return undefined
  }
  return reader.state()
}

/** Reads a snapshot in pieces of any size and builds the state. */
export class SnapshotReader {
  readonly #sum = createHash('sha256')
  readonly #state: StateReader
  /** The start of an incomplete line. */
  #rest: Buffer = Buffer.alloc(0)
  /** The last complete line; it is the checksum if no line follows. */
  #line: Buffer | undefined
  #isOurs = false
  #isBroken = false

  constructor(part?: StatePart) {
    this.#state = new StateReader(part)
  }

  take(bytes: Buffer): void {
    if (this.#isBroken) return
    try {
      this.#take(this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes)
    } catch {
      this.#isBroken = true
    }
  }

  /** The state, if the lines are complete and in the current format. */
  state(): State | undefined {
    if (this.#isBroken || !this.#isOurs || this.#rest.length > 0) return undefined
    return this.#line?.toString('latin1') === `${this.#sum.digest('hex')}\n` ? this.#state.state : undefined
  }

  #take(bytes: Buffer): void {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (this.#line) this.#takeLine(this.#line)
      this.#line = bytes.subarray(start, end + 1)
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
  }

  #takeLine(line: Buffer): void {
    this.#sum.update(line)
    const text = line.toString('utf8', 0, line.length - 1)
    if (this.#isOurs) return this.#state.take(text)
    this.#isOurs = (decode(text) as Header).format === SNAPSHOT_FORMAT
    this.#isBroken = !this.#isOurs
  }
}

/** The lines of a snapshot, each with its newline. */
export function* snapshotLines(state: State, hash: string): Generator<string> {
  const sum = createHash('sha256')
  for (const line of linesOf(state, hash)) {
    sum.update(line)
    yield line
  }
  yield `${sum.digest('hex')}\n`
}

/** Whether the first line of a snapshot has the current format and the journal's hash at that number. */
export async function isOfJournal(line: string | undefined, seq: number, journal: Journal): Promise<boolean> {
  const header = line === undefined ? undefined : parseHeader(line)
  if (header?.format !== SNAPSHOT_FORMAT || header.seq !== seq) return false
  return header.hash === (await journal.hashAt(seq))
}

function parseHeader(line: string): Header | undefined {
  try {
    return decode(line) as Header
  } catch {
    return undefined
  }
}

function* linesOf(state: State, hash: string): Generator<string> {
  const header: Header = { format: SNAPSHOT_FORMAT, seq: state.seq, hash }
  yield `${encode(header)}\n`
  for (const line of stateLines(state)) yield `${line}\n`
}

async function readHeader(path: string): Promise<string | undefined> {
  const window = await JournalWindow.open(path).catch(() => undefined)
  try {
    const bytes = await window?.at(0, HEADER_BYTES_MAX)
    const end = bytes?.indexOf(NEWLINE) ?? -1
    return end < 0 ? undefined : bytes?.toString('utf8', 0, end)
  } catch {
    return undefined
  } finally {
    await window?.close()
  }
}

/** Newest first; empty if the folder cannot be read. */
export async function listSnapshots(folder: string): Promise<readonly FoundSnapshot[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d{16}\.snapshot$/.test(name))
    .sort()
    .reverse()
    .map((name) => ({ path: join(folder, name), seq: Number(name.slice(0, 16)) }))
}

/** Keeps snapshots with a later number than the one just written, because they prove that the journal lost events. */
async function prune(folder: string, written: number, keep: number): Promise<void> {
  const found = (await listSnapshots(folder)).filter(({ seq }) => seq <= written)
  for (const one of found.slice(keep)) await rm(one.path, { force: true })
}

const pathOf = (folder: string, seq: number): string =>
  join(folder, `${String(seq).padStart(16, '0')}.snapshot`)

import { readdir, readFile, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { diskOperations, makeFolder, storeFile } from '../data-folder/file-operations.ts'
import { worldPaths } from '../data-folder/folder-layout.ts'
import { copyJournal } from '../journal/copy.ts'
import type { JournalPosition } from '../journal/journal.ts'
import { type DurableRecord, durableRecordText, parseRecord } from '../registry/durable-storage.ts'
import { type CheckProgress, checkJournal } from './check-journal.ts'

/** A durable world besides `main`, with its last event and the hash of its journal there. */
export type WorldHead = JournalPosition & { readonly world: string }

/** The world that a command is limited to. Default: all worlds. */
export type Only = { readonly only?: string | undefined }
type Selected = Only & { readonly progress?: CheckProgress | undefined }
type Copied = Selected & {
  /** Changes the records of the copies. */
  readonly changed?: (record: DurableRecord) => DurableRecord
}

/** A running server may reset a world or write to its journal during a copy. */
const TRIES = 5

/** Copies the durable worlds besides `main`, or only one, from a data folder or backup into another. */
export async function copyWorlds(
  from: string,
  to: string,
  { only, ...copied }: Copied = {},
): Promise<readonly WorldHead[]> {
  const heads: WorldHead[] = []
  for (const world of await worldsIn(from, only)) {
    const head = await copyWorld(from, to, world, copied)
    if (head) heads.push({ world, ...head })
  }
  return heads
}

/** The names of the durable worlds in a data folder or backup, or of only one. */
export async function worldsIn(folder: string, only?: string): Promise<readonly string[]> {
  const paths = worldPaths(folder)
  const names = await readdir(paths.folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const ending = basename(paths.record(''))
  return names
    .map(paths.nameOf)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((name) => only === undefined || name === only)
    .sort()
}

/** Undefined if the world is deleted meanwhile. */
async function copyWorld(
  from: string,
  to: string,
  world: string,
  { progress, changed = (record) => record }: Copied,
): Promise<JournalPosition | undefined> {
  for (let tries = 1; ; tries += 1) {
    const record = await readRecord(from, world)
    if (record === undefined) return undefined
    const copy = worldPaths(to).journal(record.journal)
    const copied = await copyJournal(worldPaths(from).journal(record.journal), copy, { progress }).catch(
      (error: unknown) => {
        if (tries === TRIES) throw error
        return undefined
      },
    )
    // A reset begins a new journal and deletes the old one.
    if (copied && (await readRecord(from, world))?.journal === record.journal) {
      await storeRecord(to, changed(record))
      return copied
    }
    await rm(copy, { recursive: true, force: true })
  }
}

/** The record is older than the journal: the clock of the copy is never ahead of its events. */
async function readRecord(folder: string, world: string): Promise<DurableRecord | undefined> {
  const text = await readFile(worldPaths(folder).record(world), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )
  return text === undefined ? undefined : parseRecord(text)
}

export async function storeRecord(folder: string, record: DurableRecord): Promise<void> {
  const paths = worldPaths(folder)
  await makeFolder(diskOperations, paths.folder)
  await storeFile(diskOperations, paths.record(record.world), `${durableRecordText(record)}\n`)
  await diskOperations.syncFolder(paths.folder)
}

/** The record and the journal folder of a world in a backup. */
export async function storedWorld(folder: string, world: string) {
  const record = await readRecord(folder, world)
  return record && { record, journal: worldPaths(folder).journal(record.journal) }
}

export type WorldsReport = { readonly worlds: readonly WorldHead[]; readonly problems: readonly string[] }

/** Checks the journals of all durable worlds, or of one: records, hash chain, balances. */
export async function checkWorlds(folder: string, { progress, only }: Selected = {}): Promise<WorldsReport> {
  const worlds: WorldHead[] = []
  const problems: string[] = []
  for (const world of await worldsIn(folder, only)) {
    const stored = await storedWorld(folder, world)
    if (!stored) continue
    const { seq, hash, problems: found } = await checkJournal(stored.journal, { progress })
    worlds.push({ world, seq, hash })
    problems.push(...found.map((problem) => `world ${world}: ${problem}`))
  }
  return { worlds, problems }
}

/** The differences between two lists of worlds. */
export function differencesOf(
  expected: readonly WorldHead[],
  received: readonly WorldHead[],
): readonly string[] {
  return expected.flatMap(({ world, seq, hash }) => {
    const found = received.find((one) => one.world === world)
    if (found?.seq === seq && found.hash === hash) return []
    const end = found ? `event ${found.seq} with hash ${found.hash}` : 'no event'
    return [`world ${world}: its journal ends at ${end}, expected ${seq} with ${hash}`]
  })
}

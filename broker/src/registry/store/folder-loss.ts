import { constants, existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { diskOperations, makeFolder } from '../../data-folder/file-operations.ts'
import { mainPaths } from '../../data-folder/folder-layout.ts'
import { readCredentials } from '../../data-folder/owner-file.ts'
import type { CheckedJournal } from '../../journal/files.ts'
import { type Follower, type JournalLost, lossOf } from '../../journal/journal.ts'
import { listSnapshots } from '../../query-tables/snapshot/snapshot.ts'
import { withTables } from '../../query-tables/sqlite/with-tables.ts'
import { MAIN } from '../worlds.ts'

const CREDENTIALS = 'credentials.json'
const { COPYFILE_EXCL } = constants

/** The loss that a data folder proves, for a journal that ends at that event. */
export async function lossInFolder(data: string, end: number): Promise<JournalLost | undefined> {
  return lossOf(end, await followersIn(data))
}

/** Throws if the journal lost events at its end. */
export async function assertNothingLost(data: string, end: number): Promise<void> {
  const loss = await lossInFolder(data, end)
  if (loss) throw loss
}

/** Moves the files that prove a loss into a new folder, so that the journal can continue. Returns its path. */
export async function moveProofAside(
  data: string,
  loss: JournalLost,
  { tornFile }: CheckedJournal,
): Promise<string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const proofFolder = join(data, `journal-loss-${time}`)
  await makeFolder(diskOperations, proofFolder)
  // Opening the journal cuts off the torn bytes, and writes credentials if the journal has no events.
  if (tornFile !== undefined) await copyFile(tornFile, join(proofFolder, basename(tornFile)), COPYFILE_EXCL)
  for (const { name } of loss.ahead) {
    if (name === CREDENTIALS) await copyFile(join(data, name), join(proofFolder, name), COPYFILE_EXCL)
    else await move(data, proofFolder, name)
  }
  await diskOperations.syncFolder(proofFolder)
  await diskOperations.syncFolder(data)
  return proofFolder
}

/** Also moves the files that SQLite keeps beside a database. The log first: a new database must not find an old log. */
async function move(data: string, proofFolder: string, name: string): Promise<void> {
  await makeFolder(diskOperations, dirname(join(proofFolder, name)))
  for (const part of [`${name}-wal`, `${name}-shm`, name])
    if (existsSync(join(data, part))) await diskOperations.rename(join(data, part), join(proofFolder, part))
}

async function followersIn(data: string): Promise<readonly Follower[]> {
  const { queryTables, snapshots } = mainPaths(data)
  const stored = await listSnapshots(snapshots)
  return [
    { name: basename(queryTables), seq: await positionOf(queryTables) },
    ...stored.map(({ path, seq }) => ({ name: join(basename(snapshots), basename(path)), seq })),
    // The first start writes the account id after the account's events are durable.
    { name: CREDENTIALS, seq: isFinished(data) ? 1 : 0 },
  ]
}

/** The last event in the query tables; 0 if the position cannot be read. */
async function positionOf(queryTables: string): Promise<number> {
  if (!existsSync(queryTables)) return 0
  try {
    return await withTables(queryTables, (database) => {
      const found = database.prepare('SELECT position FROM progress WHERE world = ?').get(MAIN)
      return Number(found?.['position'] ?? 0)
    })
  } catch (error) {
    if (errorCode(error) === 'ERR_SQLITE_ERROR') return 0
    throw error
  }
}

/** Whether the first start finished. An unreadable file is reported when its keys are needed. */
function isFinished(data: string): boolean {
  try {
    return readCredentials(data).accountId !== undefined
  } catch {
    return false
  }
}

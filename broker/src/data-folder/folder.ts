import { existsSync, readFileSync, rmSync } from 'node:fs'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MARKET_MODEL } from '@quipu/core/values'
import { diskOperations, makeFolder, makeFolders, replaceFile, writeNewFileSync } from './file-operations.ts'
import { keepOwner, refuseLinks } from './keep-owner.ts'
import { sqliteCode } from './sqlite-code.ts'

/** The format of the data folder that this version writes. */
export const FOLDER_FORMAT = 1

const SQLITE_BUSY = 5

/** The data folder, locked by this process until `release` or the end of the process. */
export type DataFolder = {
  readonly path: string
  /** The version of the model that computes its synthetic prices. */
  readonly marketModel: number
  readonly release: () => void
}

/** Another process, or another part of this one, has locked the folder. `pid` is absent if it is not known yet. */
export class FolderInUse extends Error {
  readonly path: string
  readonly pid: number | undefined

  constructor(path: string, pid: number | undefined) {
    super(`${path} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}`)
    this.name = 'FolderInUse'
    this.path = path
    this.pid = pid
  }
}

/** The folder cannot be created, entered or written. */
export class FolderNotWritable extends Error {
  override readonly name = 'FolderNotWritable'

  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** The folder has a newer format than this version of Quipu. */
export class FolderNewer extends Error {
  override readonly name = 'FolderNewer'

  constructor(path: string, found: number) {
    super(`${path} has data format ${found}, this version reads up to ${FOLDER_FORMAT}`)
  }
}

/** The folder has prices of another market model. */
export class FolderOfOtherMarket extends Error {
  override readonly name = 'FolderOfOtherMarket'

  constructor(path: string, found: number) {
    super(`${path} has prices of market model ${found}, this version computes those of model ${MARKET_MODEL}`)
  }
}

/** Throws if the folder has another market model. */
export function checkMarketModel({ path, marketModel }: DataFolder): void {
  if (marketModel !== MARKET_MODEL) throw new FolderOfOtherMarket(path, marketModel)
}

/** `format.json` is unreadable. */
export class FolderUnreadable extends Error {
  override readonly name = 'FolderUnreadable'

  constructor(path: string, text: string) {
    super(
      `${join(path, 'format.json')}: expected {"version": a number, "market": a number}, received ${text.slice(0, 80)}`,
    )
  }
}

/** Creates the folder and its parents if they do not exist. */
export function ensureFolder(path: string): void {
  try {
    makeFolders(path)
  } catch (error) {
    throw new FolderNotWritable(path, error)
  }
}

/** Creates the folder if needed and locks it for this process. */
export async function openFolder(path: string): Promise<DataFolder> {
  try {
    await makeFolder(diskOperations, path)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new FolderNotWritable(path, error)
  }
  const release = lockFolder(path)
  return { path, marketModel: await checked(path, release), release }
}

/** Checks the format of a locked folder, and releases it if this version does not support the format. */
async function checked(path: string, release: () => void, options?: { mayWrite: boolean }): Promise<number> {
  try {
    return await checkFormat(path, options)
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Locks the folder for reading, so that no server starts on it. Works without write permission and on a read-only
 * mount.
 */
export async function openFolderToRead(path: string): Promise<DataFolder> {
  try {
    return await openFolder(path)
  } catch (error) {
    if (!(error instanceof FolderNotWritable)) throw error
  }
  const release = lockToRead(path)
  return { path, marketModel: await checked(path, release, { mayWrite: false }), release }
}

// Keeps references, because a garbage-collected lock would release the folder.
const locks = new Set<DatabaseSync>()

/**
 * Locks a folder for this process. Returns a function that releases it, and that keeps its owner if root locked it. Uses an SQLite lock, because Node has no file
 * locks; the system releases it when the process ends. No other code in this process may open the lock file, because
 * closing it would release the lock.
 */
export function lockFolder(path: string): () => void {
  const holderFile = join(path, 'lock.pid')
  refuseLinks(path)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(path, 'lock'))
    database.exec('BEGIN EXCLUSIVE')
    writeNewFileSync(holderFile, `${process.pid}\n`)
  } catch (error) {
    database?.close()
    const isBusy = sqliteCode(error) === SQLITE_BUSY
    throw isBusy ? new FolderInUse(path, holder(holderFile)) : new FolderNotWritable(path, error)
  }
  locks.add(database)
  return () => {
    if (!locks.delete(database)) return
    rmSync(holderFile, { force: true })
    keepOwner(path)
    database.close()
  }
}

/** A shared lock: it excludes servers and allows other readers. A folder without a lock file never had a server. */
function lockToRead(path: string): () => void {
  refuseLinks(path)
  if (!existsSync(join(path, 'lock'))) return () => {}
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(path, 'lock'), { readOnly: true })
    database.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  } catch (error) {
    database?.close()
    const isBusy = sqliteCode(error) === SQLITE_BUSY
    throw isBusy ? new FolderInUse(path, holder(join(path, 'lock.pid'))) : error
  }
  locks.add(database)
  return () => {
    if (locks.delete(database)) database.close()
  }
}

function holder(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

/** The market model of a data folder or backup. Throws if the format is not supported. */
export const marketModelOf = (path: string): Promise<number> => checkFormat(path, { mayWrite: false })

async function checkFormat(path: string, { mayWrite = true } = {}): Promise<number> {
  const text = await readFile(join(path, 'format.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) {
    if (mayWrite) await writeFormat(path)
    return MARKET_MODEL
  }
  const { version, market } = parseFormat(text)
  // A newer format may name other things beside its version.
  if (isNumber(version) && version > FOLDER_FORMAT) throw new FolderNewer(path, version)
  if (!isNumber(version) || !isNumber(market)) throw new FolderUnreadable(path, text)
  return market
}

const isNumber = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0

function parseFormat(text: string): { readonly version?: unknown; readonly market?: unknown } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Writes the format and the market model of a folder. */
export async function writeFormat(path: string, market = MARKET_MODEL): Promise<void> {
  const text = `${JSON.stringify({ version: FOLDER_FORMAT, market })}\n`
  await replaceFile(diskOperations, join(path, 'format.json'), text)
  await diskOperations.syncFolder(path)
}

import { constants, existsSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { inTemporaryFolder } from '../../data-folder/file-operations.ts'
import { sqliteCode } from '../../data-folder/sqlite-code.ts'
import { openDatabase } from './database.ts'

const SQLITE_CANTOPEN = 14

/**
 * Opens tables for reading and closes them afterwards. If SQLite cannot create its `-shm` file, as on a read-only
 * mount, it reads the file as immutable, or a copy of the file and its log if a log exists.
 */
export async function withTables<Value>(
  file: string,
  use: (database: DatabaseSync) => Value | Promise<Value>,
): Promise<Value> {
  if (isReadable(file)) return using(openDatabase(file, { readOnly: true }), use)
  const log = `${file}-wal`
  if (!existsSync(log) || statSync(log).size === 0) {
    const immutable = pathToFileURL(file)
    immutable.searchParams.set('immutable', '1')
    return using(new DatabaseSync(immutable, { readOnly: true }), use)
  }
  return inTemporaryFolder('quipu-query-tables-', async (folder) => {
    const copy = join(folder, 'query-tables.sqlite')
    await copyFile(file, copy, constants.COPYFILE_EXCL)
    await copyFile(log, `${copy}-wal`, constants.COPYFILE_EXCL)
    return using(openDatabase(copy), use)
  })
}

async function using<Value>(
  database: DatabaseSync,
  use: (database: DatabaseSync) => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await use(database)
  } finally {
    database.close()
  }
}

/** Whether SQLite can open the tables in place. Damage is detected by the caller. */
function isReadable(file: string): boolean {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    database.prepare('PRAGMA schema_version').get()
    return true
  } catch (error) {
    return (sqliteCode(error) ?? 0) % 256 !== SQLITE_CANTOPEN
  } finally {
    database?.close()
  }
}

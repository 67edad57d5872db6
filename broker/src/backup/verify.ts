import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { errorCode, errorMessage, missing } from '@quipu/core/values'
import { inTemporaryFolder } from '../data-folder/file-operations.ts'
import { mainPaths } from '../data-folder/folder-layout.ts'
import type { JournalPosition } from '../journal/journal.ts'
import { rebuildQueryTables } from '../query-tables/rebuild.ts'
import { openDatabase, type ReadableTable, readableRows } from '../query-tables/sqlite/database.ts'
import { TABLES_FORMAT } from '../query-tables/sqlite/tables.ts'
import { withTables } from '../query-tables/sqlite/with-tables.ts'
import { MAIN } from '../registry/worlds.ts'
import type { AuditReport } from '../world/audit/audit.ts'
import { type CheckProgress, checkFolder, checkJournal } from './check-journal.ts'
import { NoJournal } from './failures.ts'
import { checkWorlds, type Only, storedWorld, type WorldHead, type WorldsReport } from './worlds.ts'

export type StoreReport = AuditReport & {
  /** Absent without query tables, or without a sound journal to compare them with. */
  readonly queryTables?: QueryTablesReport
  /** The durable worlds besides `main`. Absent: none. */
  readonly worlds?: readonly WorldHead[]
}

export type VerifyParts = Only & {
  /** The last durable event of `main` in a running server. Without it, no server may use the folder. */
  readonly head?: JournalPosition | undefined
  readonly progress?: CheckProgress | undefined
}

/**
 * Checks a data folder, or one of its worlds: records, hash chain, balances, and every row of the query tables against the journal.
 */
export async function verifyStore(data: string, parts: VerifyParts = {}): Promise<StoreReport> {
  const { head, progress, only } = parts
  if (only !== undefined && only !== MAIN) {
    const stored = await storedWorld(data, only)
    if (!stored) throw new NoJournal(`${data} has no durable world ${only}`)
    // Its query tables are in memory.
    return checkJournal(stored.journal, { progress })
  }
  const report = withWorlds(
    await checkFolder(data, { expectedHead: head, progress }),
    await checkWorlds(data, { progress, only }),
  )
  if (!report.sound) return report
  const found = await compareQueryTables(data, progress)
  if (!found) return report
  const { problems, ...queryTables } = found
  return { ...report, sound: problems.length === 0, problems, queryTables }
}

/** Adds the durable worlds to the report of `main`. */
export const withWorlds = (report: StoreReport, { worlds, problems }: WorldsReport): StoreReport => ({
  ...report,
  sound: report.sound && problems.length === 0,
  problems: [...report.problems, ...problems],
  ...(worlds.length > 0 && { worlds }),
})

/** The position of the query tables and the number of compared rows. */
type QueryTablesReport = { readonly position: number; readonly rows: number }
export type QueryTablesComparison = QueryTablesReport & { readonly problems: readonly string[] }

/** More problems give no new information: the fix is the same. */
export const PROBLEMS_MAX = 10

type Row = Readonly<Record<string, unknown>>

/**
 * Builds the query tables again in a temporary file, up to the position of the existing ones, and compares row by
 * row. A server may write the tables meanwhile; the comparison reads one transaction.
 */
export async function compareQueryTables(
  data: string,
  progress?: CheckProgress,
): Promise<QueryTablesComparison | undefined> {
  const { queryTables } = mainPaths(data)
  if (!existsSync(queryTables)) return undefined
  try {
    return await withTables(queryTables, (database) => {
      database.exec('BEGIN')
      return compare(database, data, progress)
    })
  } catch (error) {
    if (errorCode(error) !== 'ERR_SQLITE_ERROR') throw error
    return {
      position: 0,
      rows: 0,
      problems: [queryTablesProblem(`cannot be read: ${errorMessage(error)}`)],
    }
  }
}

async function compare(
  database: DatabaseSync,
  data: string,
  progress?: CheckProgress,
): Promise<QueryTablesComparison> {
  const format = Number(
    (database.prepare('PRAGMA user_version').get() ?? missing('the format'))['user_version'],
  )
  if (format !== TABLES_FORMAT)
    return {
      position: 0,
      rows: 0,
      problems: [queryTablesProblem(`have format ${format}, expected ${TABLES_FORMAT}`)],
    }
  const position = Number(
    database.prepare('SELECT position FROM progress WHERE world = ?').get(MAIN)?.['position'] ?? 0,
  )
  return inTemporaryFolder('quipu-verify-', async (folder) => {
    const file = join(folder, 'query-tables.sqlite')
    const head = { seq: position, hash: '' }
    await rebuildQueryTables({ world: MAIN, file, journalFolder: mainPaths(data).journal, head, progress })
    return { position, ...compareRows(database, file) }
  })
}

function compareRows(database: DatabaseSync, expectedFile: string): Omit<QueryTablesComparison, 'position'> {
  const expected = openDatabase(expectedFile, { readOnly: true })
  const problems: string[] = []
  let rows = 0
  try {
    for (const [table, noun] of [
      ['orders', 'order'],
      ['requests', 'request'],
      ['history', 'entry'],
    ] as const)
      for (const [row, expectedRow] of pairs(rowsOf(database, table), rowsOf(expected, table))) {
        rows += 1
        if (isDeepStrictEqual(row, expectedRow) || problems.length >= PROBLEMS_MAX) continue
        const { id, account } = row ?? expectedRow ?? missing('a row')
        const fault = row ? (expectedRow ? 'differs' : 'is not in the journal') : 'is missing'
        problems.push(queryTablesProblem(`${noun} ${id} of account ${account} ${fault}`))
      }
  } finally {
    expected.close()
  }
  return { rows, problems }
}

function rowsOf(database: DatabaseSync, table: ReadableTable): Iterator<Row> {
  const statement = database.prepare(readableRows(table))
  statement.setReadBigInts(true)
  return statement.iterate() as Iterator<Row>
}

/** Pairs rows with the same key. */
function* pairs(left: Iterator<Row>, right: Iterator<Row>): Generator<[Row | undefined, Row | undefined]> {
  let [one, other] = [left.next(), right.next()]
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : compareKeys(one.value, other.value)
    yield [order <= 0 ? one.value : undefined, order >= 0 ? other.value : undefined]
    if (order <= 0) one = left.next()
    if (order >= 0) other = right.next()
  }
}

function compareKeys(one: Row, other: Row): number {
  for (const name of ['world', 'account', 'id']) {
    const [left, right] = [String(one[name]), String(other[name])]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

export const queryTablesProblem = (problem: string): string =>
  `query tables: ${problem}; rebuild them with \`quipu store rebuild\``

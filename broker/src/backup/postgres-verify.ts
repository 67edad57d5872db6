import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { inTemporaryFolder } from '../data-folder/file-operations.ts'
import type { PostgresConnection } from '../postgres/connection.ts'
import { fillTables } from '../query-tables/rebuild.ts'
import { idOf, openDatabase, type ReadableTable, readableRows } from '../query-tables/sqlite/database.ts'
import { TABLES_FORMAT, Tables } from '../query-tables/sqlite/tables.ts'
import { MAIN } from '../registry/worlds.ts'
import { auditEvents } from '../world/audit/audit.ts'
import { type CheckProgress, checkWithProgress, withLoss } from './check-journal.ts'
import {
  type JournalSnapshot,
  type SnapshotWorld,
  type TableWorld,
  withJournalSnapshot,
} from './postgres-snapshot.ts'
import {
  PROBLEMS_MAX,
  type QueryTablesComparison,
  queryTablesProblem,
  type StoreReport,
  withWorlds,
} from './verify.ts'
import type { Only, WorldsReport } from './worlds.ts'

export type VerifyPostgresParts = Only & { readonly progress?: CheckProgress | undefined }

/**
 * Checks a consistent snapshot of all worlds in PostgreSQL, or of one: events, hash chain, balances, and every row of
 * the query tables against the journal. Changes nothing.
 */
export function verifyPostgres(
  url: string,
  { only, progress = () => {} }: VerifyPostgresParts = {},
): Promise<StoreReport> {
  return withJournalSnapshot(url, async (snapshot) => {
    const { head, read, loss, connection } = snapshot
    if (only !== undefined && only !== MAIN)
      return verifyWorld(connection, await snapshot.world(only), progress)
    const worlds = await snapshot.worlds(only)
    const report = withWorlds(
      withLoss(await auditEvents(checkWithProgress(read(0, head.seq), progress), head), loss),
      await auditWorlds(worlds, progress),
    )
    if (!report.sound) return report
    const main = await compareQueryTables({ connection, world: MAIN, read, progress })
    const problems = [...(main?.problems ?? [])]
    for (const { name, record, read } of worlds) {
      const found = await compareQueryTables({ connection, world: name, read, progress })
      for (const problem of found?.problems ?? []) problems.push(`world ${record.world}: ${problem}`)
    }
    const queryTables = main && { position: main.position, rows: main.rows }
    return { ...report, sound: problems.length === 0, problems, ...(queryTables && { queryTables }) }
  })
}

/** Checks one durable world besides `main`. */
async function verifyWorld(
  connection: PostgresConnection,
  { name, head, read }: SnapshotWorld,
  progress: CheckProgress,
): Promise<StoreReport> {
  const report = await auditEvents(checkWithProgress(read(0, head.seq), progress), head)
  const found = report.sound
    ? await compareQueryTables({ connection, world: name, read, progress })
    : undefined
  return found ? withQueryTables(report, found) : report
}

const withQueryTables = (
  report: StoreReport,
  { problems, ...queryTables }: QueryTablesComparison,
): StoreReport => ({
  ...report,
  sound: problems.length === 0,
  problems,
  queryTables,
})

/** A world whose query tables are compared. */
type Compared = Pick<JournalSnapshot, 'connection' | 'read'> & {
  readonly world: TableWorld
  readonly progress: CheckProgress
}

async function auditWorlds(stored: readonly SnapshotWorld[], progress: CheckProgress): Promise<WorldsReport> {
  const reports = []
  for (const { record, head, read } of stored) {
    const { seq, hash, problems } = await auditEvents(checkWithProgress(read(0, head.seq), progress), head)
    const { world } = record
    reports.push({ head: { world, seq, hash }, problems: problems.map((one) => `world ${world}: ${one}`) })
  }
  return { worlds: reports.map(({ head }) => head), problems: reports.flatMap(({ problems }) => problems) }
}

async function compareQueryTables(comparing: Compared): Promise<QueryTablesComparison | undefined> {
  const { connection, world, read, progress } = comparing
  const { rows } = await connection.query('SELECT * FROM quipu_query_tables WHERE world = $1', [world])
  if (rows.length === 0) return undefined
  const [{ format }] = rows
  const position = Number(rows[0].position)
  const none = { position, rows: 0 }
  if (format !== TABLES_FORMAT)
    return { ...none, problems: [queryTablesProblem(`have format ${format}, expected ${TABLES_FORMAT}`)] }
  return inTemporaryFolder('quipu-verify-', async (folder) => {
    const file = join(folder, 'query-tables.sqlite')
    const reader = { read, close: async () => {} }
    await fillTables(new Tables(file, world), reader, { seq: position, hash: '' }, progress)
    return { position, ...(await compareRows(comparing, file)) }
  })
}

/**
 * The compared columns of each table. Numbers and booleans are compared as text and bytes as hexadecimal digits,
 * because the databases differ.
 */
const compared = {
  order: {
    table: 'orders',
    columns: ['submitted', 'created', 'CAST(is_open AS integer)', 'symbol', 'side'],
    bytes: ['record'],
  },
  request: {
    table: 'requests',
    columns: ['created', 'kind', 'status', 'underlying', 'issuer', 'network'],
    bytes: ['record'],
  },
  entry: { table: 'history', columns: ['kind', 'record'], bytes: [] },
} as const

const PAGE_ROWS = 1_000

async function compareRows(
  { connection, world }: Compared,
  expectedFile: string,
): Promise<Omit<QueryTablesComparison, 'position'>> {
  const expected = openDatabase(expectedFile)
  const problems: string[] = []
  let rows = 0
  try {
    for (const [noun, { table, columns, bytes }] of Object.entries(compared)) {
      const texts = columns.map((column) => `CAST(${column} AS text)`)
      const inSqlite = bytes.map((column) => `lower(hex(${column}))`)
      const inPostgres = bytes.map((column) => `encode(${column}, 'hex')`)
      const check = checkerOf({ expected, world, noun, table, values: named([...texts, ...inSqlite]) })
      for await (const row of rowsOf({
        connection,
        world,
        table,
        values: named([...texts, ...inPostgres]),
      })) {
        rows += 1
        problems.push(...check.found(row))
      }
      problems.push(...check.missing())
    }
  } finally {
    expected.close()
  }
  return { rows, problems: problems.slice(0, PROBLEMS_MAX) }
}

const named = (values: readonly string[]): string =>
  values.map((value, at) => `${value} AS c${at}`).join(', ')

type Row = { readonly account: string; readonly id: string }

async function* rowsOf({
  connection,
  world,
  table,
  values,
}: Pick<Compared, 'connection' | 'world'> & {
  readonly table: string
  readonly values: string
}): AsyncGenerator<Row> {
  for (let [account, id] = ['', '']; ; ) {
    const { rows } = await connection.query(
      `SELECT account, id, ${values} FROM quipu_${table} WHERE world = $1 AND (account, id) > ($2, $3)
       ORDER BY account, id LIMIT ${PAGE_ROWS}`,
      [world, account, id],
    )
    yield* rows
    if (rows.length < PAGE_ROWS) return
    ;({ account, id } = rows.at(-1))
  }
}

/** Removes each found row from the expected ones; the remaining expected rows are missing. */
function checkerOf({
  expected,
  world,
  noun,
  table,
  values,
}: {
  readonly expected: DatabaseSync
  readonly world: TableWorld
  readonly noun: string
  readonly table: ReadableTable
  readonly values: string
}) {
  const where = 'WHERE owner = (SELECT owner FROM owners WHERE world = ? AND account = ?) AND id = ?'
  const get = expected.prepare(`SELECT ${values} FROM ${table} ${where}`)
  const remove = expected.prepare(`DELETE FROM ${table} ${where}`)
  const rest = expected.prepare(`${readableRows(table, '')} LIMIT ${PROBLEMS_MAX}`)
  const problemOf = ({ account, id }: Row, fault: string) =>
    queryTablesProblem(`${noun} ${id} of account ${account} ${fault}`)
  return {
    found(row: Row): readonly string[] {
      const { account, id, ...found } = row
      const key = [world, account, idOf(id)] as const
      const expectedRow = get.get(...key)
      if (!expectedRow) return [problemOf(row, 'is not in the journal')]
      remove.run(...key)
      return isDeepStrictEqual(found, { ...expectedRow }) ? [] : [problemOf(row, 'differs')]
    },
    missing: () => (rest.all() as Row[]).map((row) => problemOf(row, 'is missing')),
  }
}

import type { PostgresConnection } from '@quipu/broker/postgres/connection.ts'
import { type Check, finding, findingsOr, fine } from './check.ts'
import { shellWord } from './shell-word.ts'

/** The role of the URL, and what it may do. */
export type RoleFacts = {
  readonly role: string
  readonly database: string
  readonly superuser: boolean
  /** The first schema of the search path that the role may use. */
  readonly schema: string | null
  readonly creates: boolean | null
  /** Whether the tables exist. Without a right to the schema they look missing. */
  readonly tables: boolean
}

/** A command of a superuser in a database. */
export const psql = (database: string, ...statements: readonly string[]): string =>
  ['psql', '-d', shellWord(database), ...statements.flatMap((sql) => ['-c', quoted(sql)])].join(' ')

/** A statement with quotes of its own is easier to read in double quotes. */
const quoted = (sql: string): string =>
  sql.includes("'") && !/["$`\\]/.test(sql) ? `"${sql}"` : shellWord(sql)

const identifier = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`

/** Whether the role works with the tables, and has no more rights than it should. */
export async function roleChecks(
  connection: PostgresConnection,
  facts: RoleFacts,
): Promise<readonly Check[]> {
  if (!facts.tables) return [withoutTables(facts)]
  const findings = [
    ...(await rightChecks(connection, facts)),
    ...(await policyChecks(connection, facts)),
    ...(facts.superuser ? [superuserFinding(facts)] : []),
  ]
  return findingsOr(findings, fine('role', `${facts.role} has the rights that it needs, and is no superuser`))
}

function withoutTables({ role, database, schema, creates }: RoleFacts): Check {
  if (creates) return fine('role', `${role} may create the tables`)
  if (schema === null) {
    const grant = `GRANT USAGE ON SCHEMA public TO ${identifier(role)}`
    return finding('role', `${role} may not use the schema of the tables`, psql(database, grant))
  }
  const rights = psql(database, ...grantsOf(allRights, role))
  return finding(
    'role',
    `the tables are missing, and ${role} may not create them`,
    `quipu store migrate && ${rights}    # with QUIPU_STORE of the role that shall own the tables`,
  )
}

type TableRight = readonly [table: string, right: string]

/** The rights that the role of the server needs on each table. Only a migration needs more: it creates tables. */
export const tableRights: Readonly<Record<string, readonly string[]>> = {
  quipu_meta: ['SELECT'],
  quipu_journals: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // Events are added, and deleted with their world, but never changed.
  quipu_events: ['SELECT', 'INSERT', 'DELETE'],
  quipu_segments: ['SELECT', 'INSERT', 'DELETE'],
  quipu_snapshots: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_query_tables: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_orders: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_requests: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_history: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_updates: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_addresses: ['SELECT', 'INSERT', 'DELETE'],
  quipu_key_uses: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_refusals: ['SELECT', 'INSERT', 'DELETE'],
  quipu_backups: ['SELECT', 'INSERT', 'UPDATE'],
  quipu_nodes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_worlds: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
}

const allRights: readonly TableRight[] = Object.entries(tableRights).flatMap(([table, rights]) =>
  rights.map((right) => [table, right] as const),
)

/** Tables that need the same rights: `SELECT, INSERT on a, b`. */
function groupsOf(rights: readonly TableRight[]): readonly (readonly [rights: string, tables: string])[] {
  const ofTable = Map.groupBy(rights, ([table]) => table)
  const tables = Map.groupBy(ofTable.keys(), (table) =>
    ofTable
      .get(table)!
      .map(([, right]) => right)
      .join(', '),
  )
  return [...tables].map(([some, names]) => [some, names.join(', ')] as const)
}

const grantsOf = (rights: readonly TableRight[], role: string): readonly string[] =>
  groupsOf(rights).map(([some, tables]) => `GRANT ${some} ON ${tables} TO ${identifier(role)}`)

async function rightChecks(
  connection: PostgresConnection,
  { role, database }: RoleFacts,
): Promise<readonly Check[]> {
  const { rows } = await connection.query(selectMissing, columnsOf(allRights))
  const missing = rows.map(({ name, right }): TableRight => [name, right])
  if (missing.length === 0) return []
  const texts = groupsOf(missing).map(([some, tables]) => `${some} on ${tables}`)
  return [
    finding('role', `${role} has no ${texts.join('; no ')}`, psql(database, ...grantsOf(missing, role))),
  ]
}

const columnsOf = (rights: readonly TableRight[]): string[][] => [
  rights.map(([table]) => table),
  rights.map(([, right]) => right),
]

const selectMissing = `
  SELECT name, "right" FROM unnest($1::text[], $2::text[]) AS wanted (name, "right")
  WHERE to_regclass(name) IS NOT NULL AND NOT has_table_privilege(name, "right")`

/** With row-level security a right alone gives no row: a statement without a policy sees nothing, or is refused. */
async function policyChecks(
  connection: PostgresConnection,
  { role, database }: RoleFacts,
): Promise<readonly Check[]> {
  const { rows } = await connection.query(selectUncovered, columnsOf(allRights))
  if (rows.length === 0) return []
  const missing = rows.map(({ name, right }): TableRight => [name, right])
  const texts = groupsOf(missing).map(([some, tables]) => `${some} on ${tables}`)
  const policies = missing.map((one) => policyFor(one, role))
  return [
    finding(
      'role',
      `row-level security is on, and ${role} has no policy for ${texts.join('; ')}`,
      psql(database, ...policies),
    ),
  ]
}

const selectUncovered = `
  SELECT name, "right" FROM unnest($1::text[], $2::text[]) AS wanted (name, "right")
  WHERE to_regclass(name) IS NOT NULL AND row_security_active(to_regclass(name)) AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = to_regclass(name) AND polpermissive
      AND polcmd IN ('*', CASE "right" WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w' ELSE 'd' END)
      AND EXISTS (SELECT FROM unnest(polroles) AS member (oid)
        WHERE member.oid = 0 OR pg_has_role(current_user, member.oid, 'MEMBER')))`

/** Tables whose rows of main nobody deletes. */
const appendOnly: ReadonlySet<string> = new Set(['quipu_events', 'quipu_segments'])

function policyFor([table, right]: TableRight, role: string): string {
  const name = identifier(`quipu_${right.toLowerCase()}_${role}`)
  const rows = right === 'DELETE' && appendOnly.has(table) ? `(world <> 'main')` : '(true)'
  const test = right === 'INSERT' ? `WITH CHECK ${rows}` : `USING ${rows}`
  return `CREATE POLICY ${name} ON ${table} FOR ${right} TO ${identifier(role)} ${test}`
}

function superuserFinding({ role, database }: RoleFacts): Check {
  const server = 'quipu_server'
  const statements = [`CREATE ROLE ${server} LOGIN`, ...grantsOf(allRights, server), `\\password ${server}`]
  return finding(
    'role',
    `${role} is a superuser: its password gives all rights in every database`,
    `${psql(database, ...statements)}    # then use ${server} in QUIPU_STORE`,
  )
}

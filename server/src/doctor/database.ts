import { readTable } from '../cluster/table.ts'
import { addressesOf, addressOf, type Connection, withConnection } from '../postgres/connection.ts'
import { formatOf, POSTGRES_FORMAT } from '../postgres/migrations.ts'
import { durabilityWarnings } from '../postgres/statements.ts'
import { type Check, finding, findingsOr, fine } from './check.ts'
import { clockCheck } from './machine.ts'
import { nodeChecks } from './nodes.ts'
import { tableRights } from './rights.table.ts'

/** The oldest version that tests run. */
const VERSION_MIN = 15
/** A standby that is further behind would need long to become the primary. */
const STANDBY_LAG_MAX_BYTES = 256 * 1024 * 1024
const TIMEOUT_MS = 5_000

export type DatabaseReport = {
  readonly checks: readonly Check[]
  /** The last noted backup, or when PostgreSQL archived its log last, if it does: that is a backup too. */
  readonly backedUpMs?: number | undefined
}

/** Checks the database of a URL with the role of the URL. */
export async function examineDatabase(url: string, nowMs: () => number): Promise<DatabaseReport> {
  try {
    return await withConnection(url, (connection) => examine(connection, url, nowMs), {
      timeoutMs: TIMEOUT_MS,
    })
  } catch (error) {
    const { message } = error as Error
    return {
      checks: [finding('database', message, 'systemctl status postgresql    # and check QUIPU_STORE')],
    }
  }
}

async function examine(connection: Connection, url: string, nowMs: () => number): Promise<DatabaseReport> {
  const sentMs = nowMs()
  const { rows } = await connection.query(selectFacts)
  const aheadMs = (rows[0] as Facts).now.getTime() - (sentMs + nowMs()) / 2
  const facts = rows[0] as Facts
  const format = await formatOf(connection, addressOf(url))
  const checks = [
    ...(await versionChecks(connection, url, facts, format)),
    ...(await roleChecks(connection, facts, format)),
    ...standbyChecks(url, facts),
    clockCheck('the database', aheadMs),
    ...(format === 0 ? [] : nodeChecks(await readTable(connection))),
  ]
  const noted =
    format === POSTGRES_FORMAT ? await connection.query('SELECT max(at) AS at FROM quipu_backups') : undefined
  const known = [noted?.rows[0].at as Date | null | undefined, facts.archived].flatMap(
    (at) => at?.getTime() ?? [],
  )
  return { checks, backedUpMs: known.length > 0 ? Math.max(...known) : undefined }
}

type Facts = {
  readonly version: string
  readonly number: number
  readonly now: Date
  readonly role: string
  readonly superuser: boolean
  readonly schema: string | null
  readonly creates: boolean | null
  readonly standbys: string
  /** The host replays the log of another one, and accepts no writes. */
  readonly standby: boolean
  /** Bytes that the slowest standby is behind. Absent without a standby, or without the right to read it. */
  readonly lag: string | null
  readonly archived: Date | null
}

const selectFacts = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
    clock_timestamp() AS now, current_user AS role, current_schema() AS schema,
    has_schema_privilege(current_schema(), 'CREATE') AS creates,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
    current_setting('synchronous_standby_names') AS standbys,
    pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN NULL
      ELSE (SELECT max(pg_current_wal_lsn() - replay_lsn) FROM pg_stat_replication) END AS lag,
    (SELECT last_archived_time FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off') AS archived`

async function versionChecks(
  connection: Connection,
  url: string,
  { version, number }: Facts,
  format: number,
): Promise<readonly Check[]> {
  const warnings = await durabilityWarnings(connection)
  const major = Math.floor(number / 10_000)
  const findings = [
    ...(major < VERSION_MIN
      ? [
          finding(
            'database',
            `PostgreSQL ${version} is older than ${VERSION_MIN}, the oldest tested version`,
            `pg_upgradecluster ${major} main`,
          ),
        ]
      : []),
    ...(format > 0 && format < POSTGRES_FORMAT
      ? [
          finding(
            'database',
            `its tables have format ${format}, this version needs ${POSTGRES_FORMAT}`,
            'quipu start    # with the role that owns the tables, which migrates them',
          ),
        ]
      : []),
    ...warnings.map((warning) =>
      finding('database', warning, `psql -c 'ALTER SYSTEM RESET ${/with (\w+) =/.exec(warning)![1]}'`),
    ),
  ]
  return findingsOr(findings, fine('database', `${addressOf(url)}, version ${version}`))
}

async function roleChecks(connection: Connection, facts: Facts, format: number): Promise<readonly Check[]> {
  const { role, superuser, creates, schema } = facts
  if (format === 0)
    return [
      creates
        ? fine('role', `${role} may create the tables`)
        : finding(
            'role',
            `${role} may not create the tables`,
            `psql -c 'GRANT CREATE ON SCHEMA ${schema ?? 'public'} TO ${role}'`,
          ),
    ]
  const wanted = Object.entries(tableRights).flatMap(([table, rights]) =>
    rights.map((right) => [table, right] as const),
  )
  const { rows } = await connection.query(selectMissing, [
    wanted.map(([table]) => table),
    wanted.map(([, right]) => right),
  ])
  const findings = rows.map(({ name, right }) =>
    finding('role', `${role} has no ${right} on ${name}`, `psql -c 'GRANT ${right} ON ${name} TO ${role}'`),
  )
  if (superuser)
    findings.push(
      finding(
        'role',
        `${role} is a superuser: its password gives all rights in every database`,
        'psql --file=docs/guides/deploy/roles.sql    # docs/guides/operations.md, "Roles"',
      ),
    )
  return findingsOr(findings, fine('role', `${role} has the rights that it needs, and is no superuser`))
}

const selectMissing = `
  SELECT name, "right" FROM unnest($1::text[], $2::text[]) AS wanted (name, "right")
  WHERE to_regclass(name) IS NOT NULL AND NOT has_table_privilege(name, "right")`

/** A failover must lose nothing, and must not take long. */
function standbyChecks(url: string, { standbys, standby, lag }: Facts): readonly Check[] {
  if (standby)
    return [
      finding(
        'standby',
        `${addressOf(url)} is a standby and accepts no writes`,
        "psql -c 'SELECT pg_promote()'    # or name the primary in QUIPU_STORE",
      ),
    ]
  if (addressesOf(url).length > 1 && standbys === '')
    return [
      finding(
        'standby',
        'QUIPU_STORE has several hosts, and no standby is synchronous: a failover may lose confirmed requests',
        `psql -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c 'SELECT pg_reload_conf()'`,
      ),
    ]
  if (Number(lag ?? 0) > STANDBY_LAG_MAX_BYTES)
    return [
      finding(
        'standby',
        `a standby is ${Math.floor(Number(lag) / 1e6)} MB behind`,
        "psql -c 'SELECT application_name, state, replay_lag FROM pg_stat_replication'",
      ),
    ]
  return [fine('standby', standbys === '' ? 'none is required' : `synchronous: ${standbys}`)]
}

import { readTable } from '@quipu/broker/cluster/table.ts'
import {
  addressesOf,
  addressOf,
  loginOf,
  type PostgresConnection,
  withConnection,
} from '@quipu/broker/postgres/connection.ts'
import { PostgresNewer } from '@quipu/broker/postgres/failures.ts'
import { formatOf, POSTGRES_FORMAT } from '@quipu/broker/postgres/migrations.ts'
import { durabilityWarnings } from '@quipu/broker/postgres/statements.ts'
import { errorCode, errorMessage, fieldsIn } from '@quipu/core/values'
import { type Check, finding, findingsOr, fine } from './check.ts'
import { clockCheck } from './machine.ts'
import { nodeChecks } from './nodes.ts'
import { DATABASE_FIX } from './readiness.ts'
import { psql, type RoleFacts, roleChecks } from './roles.ts'
import { shellWord } from './shell-word.ts'

/** The oldest version that tests run. */
const VERSION_MIN = 15
/** A standby that is further behind would need long to become the primary. */
const STANDBY_LAG_MAX_BYTES = 256 * 1024 * 1024
const TIMEOUT_MS = 5_000
/** A changed setting applies after it. */
const RELOAD = 'SELECT pg_reload_conf()'

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
    return { checks: [finding('database', errorMessage(error), fixOf(error, url))] }
  }
}

/** By the code of PostgreSQL. */
const fixesByCode: Readonly<Record<string, (of: { role: string; database: string }) => string>> = {
  '28P01': ({ role }) => `psql -c '\\password ${role}'    # then the same password in QUIPU_STORE`,
  '3D000': ({ database, role }) =>
    `createdb --encoding=UTF8 --template=template0 --owner=${shellWord(role)} ${shellWord(database)}`,
}

function fixOf(error: unknown, url: string): string {
  if (error instanceof PostgresNewer) return 'npm install --global quipu-broker@latest'
  return fixesByCode[errorCode(fieldsIn(error)['cause']) ?? '']?.(loginOf(url)) ?? DATABASE_FIX
}

async function examine(
  connection: PostgresConnection,
  url: string,
  nowMs: () => number,
): Promise<DatabaseReport> {
  const sentMs = nowMs()
  const { rows } = await connection.query(selectFacts)
  const aheadMs = (rows[0] as Facts).now.getTime() - (sentMs + nowMs()) / 2
  const facts = rows[0] as Facts
  // Without the right to read its tables nothing is known of their format and of nodes.
  const format = facts.reads ? await formatOf(connection, addressOf(url)) : 0
  const roles = await roleChecks(connection, facts)
  const checks = [
    ...(await versionChecks(connection, url, facts, format)),
    ...roles,
    ...standbyChecks(url, facts),
    clockCheck('the database', aheadMs),
    ...(format > 0 && facts.reads ? nodeChecks(await readTable(connection)) : []),
  ]
  const noted =
    format === POSTGRES_FORMAT ? await connection.query('SELECT max(at) AS at FROM quipu_backups') : undefined
  const known = [noted?.rows[0].at as Date | null | undefined, facts.archived].flatMap(
    (at) => at?.getTime() ?? [],
  )
  return { checks, backedUpMs: known.length > 0 ? Math.max(...known) : undefined }
}

type Facts = RoleFacts & {
  readonly version: string
  readonly number: number
  readonly now: Date
  /** Whether the role may read the tables that the checks read. */
  readonly reads: boolean
  readonly standbys: string
  /** The host replays the log of another one, and accepts no writes. */
  readonly standby: boolean
  /** Bytes that the slowest standby is behind. Absent without a standby, or without the right to read it. */
  readonly lag: string | null
  readonly archived: Date | null
}

const selectFacts = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
    clock_timestamp() AS now, current_user AS role, current_database() AS database, current_schema() AS schema,
    to_regclass('quipu_meta') IS NOT NULL AS tables,
    coalesce((SELECT bool_and(has_table_privilege(name, 'SELECT')) FROM
      unnest(ARRAY['quipu_meta', 'quipu_nodes', 'quipu_worlds', 'quipu_journals']) AS needed (name)
      WHERE to_regclass(name) IS NOT NULL), false) AS reads,
    has_schema_privilege(current_schema(), 'CREATE') AS creates,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
    current_setting('synchronous_standby_names') AS standbys,
    pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN NULL
      ELSE (SELECT max(pg_current_wal_lsn() - replay_lsn) FROM pg_stat_replication) END AS lag,
    (SELECT last_archived_time FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off') AS archived`

async function versionChecks(
  connection: PostgresConnection,
  url: string,
  { version, number, database }: Facts,
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
            'quipu store migrate    # with QUIPU_STORE of the role that owns the tables',
          ),
        ]
      : []),
    ...warnings.map((warning) => {
      const [, setting] = /with (\w+) =/.exec(warning)!
      return finding('database', warning, psql(database, `ALTER SYSTEM SET ${setting} = on`, RELOAD))
    }),
  ]
  return findingsOr(findings, fine('database', `${addressOf(url)}, version ${version}`))
}

/** A failover must lose nothing, and must not take long. */
function standbyChecks(url: string, { database, standbys, standby, lag }: Facts): readonly Check[] {
  if (standby)
    return [
      finding(
        'standby',
        `${addressOf(url)} is a standby and accepts no writes`,
        `${psql(database, 'SELECT pg_promote()')}    # or name the primary in QUIPU_STORE`,
      ),
    ]
  if (addressesOf(url).length > 1 && standbys === '')
    return [
      finding(
        'standby',
        'QUIPU_STORE has several hosts, and no standby is synchronous: a failover may lose confirmed requests',
        psql(database, "ALTER SYSTEM SET synchronous_standby_names = '*'", RELOAD),
      ),
    ]
  if (Number(lag ?? 0) > STANDBY_LAG_MAX_BYTES)
    return [
      finding(
        'standby',
        `a standby is ${Math.floor(Number(lag) / 1e6)} MB behind`,
        psql(database, 'SELECT application_name, state, replay_lag FROM pg_stat_replication'),
      ),
    ]
  return [fine('standby', standbys === '' ? 'none is required' : `synchronous: ${standbys}`)]
}

import {
  addressOf,
  asUnreachable,
  type ClientClass,
  type PostgresConnection,
  withConnection,
} from './connection.ts'
import { PostgresNewer, PostgresUnfit } from './failures.ts'
import { transaction } from './statements.ts'

/** Advisory lock number. Any number that other programs are unlikely to use. */
const LOCK = 7_878_001

/**
 * The migrations of the tables, in order and forward only. A released migration never changes; a change is a new row.
 *
 * Every key starts with the world, and keys of account data with world and account, so that tables can be sharded by
 * them. Texts are compared by bytes, as in the rest of Quipu.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE quipu_journals (
    world text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, hash text NOT NULL, fence bigint NOT NULL,
    holder text NOT NULL, address text, taken_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz,
    market integer NOT NULL
  ) WITH (fillfactor = 10);
  CREATE TABLE quipu_events (
    world text COLLATE "C" NOT NULL, seq bigint NOT NULL, open bytea NOT NULL, sealed bytea,
    PRIMARY KEY (world, seq)
  );
  CREATE TABLE quipu_segments (
    world text COLLATE "C" NOT NULL, segment integer NOT NULL, seed text NOT NULL, PRIMARY KEY (world, segment)
  );
  CREATE TABLE quipu_snapshots (
    world text COLLATE "C" NOT NULL, seq bigint NOT NULL, line integer NOT NULL, body text NOT NULL,
    PRIMARY KEY (world, seq, line)
  );
  CREATE TABLE quipu_views (
    world text COLLATE "C" PRIMARY KEY, format integer NOT NULL, writer bigint NOT NULL,
    position bigint NOT NULL, mark bigint NOT NULL, mark_hash text
  ) WITH (fillfactor = 10);
  CREATE TABLE quipu_orders (
    world text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    client_id bytea NOT NULL, submitted bigint NOT NULL, created bigint NOT NULL,
    symbol text COLLATE "C" NOT NULL, side text COLLATE "C" NOT NULL, is_open boolean NOT NULL,
    parent text COLLATE "C", record bytea NOT NULL, PRIMARY KEY (world, account, id)
  );
  CREATE UNIQUE INDEX quipu_orders_by_client_id ON quipu_orders (world, account, client_id);
  CREATE INDEX quipu_orders_by_place ON quipu_orders (world, account, submitted, created, id);
  CREATE INDEX quipu_open_orders_by_place ON quipu_orders (world, account, submitted, created, id)
    WHERE is_open;
  CREATE TABLE quipu_requests (
    world text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    label bytea, key bytea, created bigint NOT NULL, kind text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL, underlying text COLLATE "C" NOT NULL, issuer text COLLATE "C" NOT NULL,
    network text COLLATE "C" NOT NULL, record bytea NOT NULL, PRIMARY KEY (world, account, id)
  );
  CREATE UNIQUE INDEX quipu_requests_by_key ON quipu_requests (world, account, key) WHERE key IS NOT NULL;
  CREATE INDEX quipu_requests_by_label ON quipu_requests (world, account, label, created, id)
    WHERE label IS NOT NULL;
  CREATE INDEX quipu_requests_by_age ON quipu_requests (world, account, created, id);
  CREATE TABLE quipu_history (
    world text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL, record text NOT NULL, PRIMARY KEY (world, account, id)
  );
  CREATE INDEX quipu_history_but_fills ON quipu_history (world, account, id) WHERE kind <> 'fill';
  CREATE TABLE quipu_updates (
    world text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    record bytea NOT NULL, PRIMARY KEY (world, account, id)
  );
  CREATE INDEX quipu_orders_by_parent ON quipu_orders (world, account, parent) WHERE parent IS NOT NULL;
  CREATE TABLE quipu_addresses (
    world text COLLATE "C" NOT NULL, ref text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL,
    PRIMARY KEY (world, ref)
  );
  CREATE TABLE quipu_key_uses (
    world text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, used text NOT NULL,
    PRIMARY KEY (world, key)
  );
  CREATE TABLE quipu_refusals (
    world text COLLATE "C" NOT NULL, request text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY, record text NOT NULL, PRIMARY KEY (world, request)
  );
  CREATE TABLE quipu_nodes (
    name text COLLATE "C" PRIMARY KEY, address text NOT NULL, version text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, draining boolean NOT NULL,
    failures json NOT NULL
  ) WITH (fillfactor = 10);
  CREATE TABLE quipu_worlds (
    world text COLLATE "C" PRIMARY KEY, code text COLLATE "C" NOT NULL UNIQUE, record text,
    reserved_at timestamptz NOT NULL DEFAULT now()
  );
  `,
  'CREATE TABLE quipu_backups (world text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL, record text NOT NULL)',
  'ALTER TABLE quipu_views RENAME TO quipu_query_tables',
  `CREATE TABLE quipu_run_files (
    file text COLLATE "C" NOT NULL, part integer NOT NULL, stored_at timestamptz NOT NULL DEFAULT now(),
    body bytea NOT NULL, PRIMARY KEY (file, part)
  )`,
]

/** The table format of this version. */
export const POSTGRES_FORMAT = migrations.length

/** Creates the tables or migrates them to the current format. */
export async function migrate(url: string, Client?: ClientClass): Promise<void> {
  const address = addressOf(url)
  const isUpToDate = async (connection: PostgresConnection): Promise<boolean> => {
    await checkEncoding(connection, address)
    return (await formatOf(connection, address)) === POSTGRES_FORMAT
  }
  try {
    // Only migrations run without a timeout: a silent server must not block the opening of a world.
    if (await withConnection(url, isUpToDate, { Client })) return
    await withConnection(url, (connection) => runMigrations(connection, address), {
      timeoutMs: 0,
      Client,
    })
  } catch (error) {
    throw asUnreachable(url, error)
  }
}

async function runMigrations(connection: PostgresConnection, address: string): Promise<void> {
  await transaction(connection, async () => {
    // A concurrent start waits here and then finds the tables migrated.
    await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await connection.query(
      'CREATE TABLE IF NOT EXISTS quipu_meta (format integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())',
    )
    const found = await formatOf(connection, address)
    for (const [index, sql] of migrations.entries()) {
      if (index < found) continue
      await connection.query(sql)
      await connection.query('INSERT INTO quipu_meta (format) VALUES ($1)', [index + 1])
    }
  })
}

/** The format of the tables; 0 without tables. `address` is used in messages. */
export async function formatOf(connection: PostgresConnection, address: string): Promise<number> {
  const { rows } = await connection.query("SELECT to_regclass('quipu_meta') IS NOT NULL AS there")
  if (!rows[0].there) return 0
  const found = await connection.query('SELECT coalesce(max(format), 0) AS format FROM quipu_meta')
  const format = Number(found.rows[0].format)
  if (format > POSTGRES_FORMAT) throw new PostgresNewer(address, format, POSTGRES_FORMAT)
  return format
}

async function checkEncoding(connection: PostgresConnection, address: string): Promise<void> {
  const { rows } = await connection.query('SHOW server_encoding')
  const encoding = rows[0].server_encoding
  if (encoding !== 'UTF8') throw new PostgresUnfit(address, `its encoding is ${encoding}, expected UTF8`)
}

import { workerData } from 'node:worker_threads'
import { PostgresReader } from '../../journal/postgres-reader.ts'
import { connect, openPool, withConnection } from '../../postgres/connection.ts'
import { runWriter } from '../writing.ts'
import type { PostgresWriterData } from './postgres.ts'
import { readPostgresSnapshot, writePostgresSnapshot } from './snapshot.ts'
import { dropPostgresTables, PostgresTables, whyPostgresUnusable } from './tables.ts'

// The writer thread of PostgreSQL tables. It reads the journal in PostgreSQL.
const { url, world, limits } = workerData as PostgresWriterData

await runWriter({
  limits,
  whyUnusable: () => withConnection(url, (connection) => whyPostgresUnusable(connection, world)),
  drop: () => withConnection(url, (connection) => dropPostgresTables(connection, world)),
  open: async () => PostgresTables.open(await connect(url), world),
  reader: () => new PostgresReader(openPool(url), world),
  readSnapshot: (name) => withConnection(url, (connection) => readPostgresSnapshot(connection, world, name)),
  writeSnapshot: (state, hash) =>
    withConnection(url, (connection) =>
      writePostgresSnapshot(connection, world, state, { hash, keep: limits.snapshotsKept }),
    ),
  isDamage: () => false,
})

import { workerData } from 'node:worker_threads'
import { connect, withConnection } from '../../postgres/connection.ts'
import { runWriter } from '../writing.ts'
import type { PostgresWriterData } from './postgres.ts'
import { tableSnapshots } from './table-snapshots.ts'
import { dropPostgresTables, PostgresTables, whyPostgresUnusable } from './tables.ts'

// The writer thread of PostgreSQL tables. It reads the journal in PostgreSQL.
const data = workerData as PostgresWriterData
const { url, world, limits } = data

await runWriter({
  ...tableSnapshots(data),
  limits,
  snapshotThread: { url: import.meta.url, data },
  whyUnusable: () => withConnection(url, (connection) => whyPostgresUnusable(connection, world)),
  drop: () => withConnection(url, (connection) => dropPostgresTables(connection, world)),
  open: async () => PostgresTables.open(await connect(url), world),
  isDamage: () => false,
})

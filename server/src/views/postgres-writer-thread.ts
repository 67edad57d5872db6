import { workerData } from 'node:worker_threads'
import { PostgresReader } from '../journal/postgres-reader.ts'
import { connect, openPool } from '../postgres/connection.ts'
import type { PostgresWriterData } from './postgres.ts'
import { readPostgresSnapshot, writePostgresSnapshot } from './postgres-snapshot.ts'
import { dropPostgresTables, PostgresTables, postgresUnfitness } from './postgres-tables.ts'
import { runWriter } from './writing.ts'

// The thread that writes the tables in PostgreSQL, from the journal there.
const { url, world, limits } = workerData as PostgresWriterData

await runWriter({
  limits,
  unfitness: () => using((connection) => postgresUnfitness(connection, world)),
  drop: () => using((connection) => dropPostgresTables(connection, world)),
  open: async () => PostgresTables.open(await connect(url), world),
  reader: () => new PostgresReader(openPool(url), world),
  readSnapshot: (name) => using((connection) => readPostgresSnapshot(connection, world, name)),
  writeSnapshot: (state, hash) =>
    using((connection) =>
      writePostgresSnapshot(connection, world, state, { hash, keep: limits.snapshotsKept }),
    ),
  isDamage: () => false,
})

/** For what is seldom: a connection for one use. */
async function using<Value>(
  use: (connection: Awaited<ReturnType<typeof connect>>) => Promise<Value>,
): Promise<Value> {
  const connection = await connect(url)
  try {
    return await use(connection)
  } finally {
    await connection.end()
  }
}

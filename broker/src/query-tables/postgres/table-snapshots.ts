import { readEvents } from '../../journal/postgres/reader.ts'
import { withConnection } from '../../postgres/connection.ts'
import type { SnapshotStore } from '../snapshot/make-snapshot.ts'
import type { PostgresWriterData } from './postgres.ts'
import { readPostgresSnapshot, writePostgresSnapshot } from './snapshot.ts'
import { poolOf } from './thread-pools.ts'

/** The journal and the snapshots of a world in PostgreSQL. */
export const tableSnapshots = ({ url, number, world, fence, limits }: PostgresWriterData): SnapshotStore => ({
  reader: () => ({
    read: (after, to) => readEvents(poolOf({ url, number }), world, after, to),
    close: async () => undefined,
  }),
  readSnapshot: (name, part) =>
    withConnection(url, (connection) => readPostgresSnapshot(connection, world, name, part), {}),
  writeSnapshot: (state, hash) =>
    withConnection(
      url,
      (connection) =>
        writePostgresSnapshot(connection, world, state, { hash, keep: limits.snapshotsKept, fence }),
      {},
    ),
})

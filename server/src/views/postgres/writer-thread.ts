import { withConnection } from '../../postgres/connection.ts'
import { serveUsers } from '../../process/shared-threads.ts'
import { runWriter } from '../writing.ts'
import type { PostgresWriterData } from './postgres.ts'
import { tableSnapshots } from './table-snapshots.ts'
import { dropPostgresTables, PostgresTables, whyPostgresUnusable } from './tables.ts'
import { poolOf } from './thread-pools.ts'

// The writer thread of PostgreSQL tables, for all worlds of the process. It reads the journals in PostgreSQL.
serveUsers<PostgresWriterData>((port, data) => {
  const { url, world, limits } = data
  void runWriter(
    {
      ...tableSnapshots(data),
      limits,
      snapshotThread: { url: import.meta.url, data },
      whyUnusable: () => withConnection(url, (connection) => whyPostgresUnusable(connection, world), {}),
      drop: () => withConnection(url, (connection) => dropPostgresTables(connection, world)),
      open: () => PostgresTables.open(poolOf(data), world),
      isDamage: () => false,
    },
    port,
  )
})

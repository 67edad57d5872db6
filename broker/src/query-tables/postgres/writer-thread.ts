import { whileHeld } from '../../journal/postgres/lease.ts'
import { withConnection } from '../../postgres/connection.ts'
import { serveUsers } from '../../threads/shared-threads.ts'
import { runWriter } from '../writing.ts'
import type { PostgresWriterData } from './postgres.ts'
import { tableSnapshots } from './table-snapshots.ts'
import { deletePostgresTables, PostgresTables, whyPostgresUnusable } from './tables.ts'
import { poolOf } from './thread-pools.ts'

// The writer thread of PostgreSQL tables, for all worlds of the process. It reads the journals in PostgreSQL.
serveUsers<PostgresWriterData>((port, data) => {
  const { url, world, fence, limits } = data
  const held = { journal: world, fence }
  void runWriter(
    {
      ...tableSnapshots(data),
      limits,
      snapshotThread: { url: import.meta.url, data },
      whyUnusable: () => withConnection(url, (connection) => whyPostgresUnusable(connection, world), {}),
      drop: () =>
        withConnection(url, (connection) =>
          whileHeld(connection, held, () => deletePostgresTables(connection, world)),
        ),
      open: () => PostgresTables.open(poolOf(data), world, fence),
      isDamage: () => false,
    },
    port,
  )
})

import type { ClientOrderId, Decision } from '@quipu/core'
import { buy, decided, openTestWorld, type TestWorld } from '../../world/testing/world.ts'
import { loadSnapshot } from '../snapshot/snapshot.ts'
import type { QueryTablesFolder } from './query-tables-folder.ts'

/** A world with a journal in files, SQLite query tables and snapshots. */
export function openOnDisk(folder: QueryTablesFolder): Promise<TestWorld> {
  return openTestWorld({
    parts: {
      openJournal: () => folder.openJournal(),
      openQueryTables: (journal, failed) => folder.openQueryTables(journal, failed),
      snapshot: (journal, upTo) => loadSnapshot(folder.snapshots(), journal, upTo),
    },
  })
}

/** Places an order that fills at once. The client order id may have been used before. */
export function place({ world, account }: TestWorld, id: string): Promise<Decision> {
  const clientOrderId = id as ClientOrderId
  return world.storage.withEarlierOrder(account.id, clientOrderId, (earlier) =>
    decided(world, { ...buy(account, 'AAPL', '0.01'), clientOrderId, ...(earlier ? { earlier } : {}) }),
  )
}

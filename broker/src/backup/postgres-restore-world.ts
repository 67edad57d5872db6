import { missing } from '@quipu/core/values'
import { marketModelOf } from '../data-folder/folder.ts'
import { addressOf, asUnreachable, type PostgresConnection, withConnection } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { transaction } from '../postgres/statements.ts'
import { type DurableRecord, randomJournalName } from '../registry/durable-storage.ts'
import type { CheckProgress } from './check-journal.ts'
import { copyImportedData } from './imported-data.ts'
import type { Manifest } from './manifest.ts'
import { copyWorldIn } from './postgres-restore.ts'
import { journalHead } from './postgres-snapshot.ts'
import { checkBackup } from './restore.ts'
import { assertDifferent, assertSameMarket, withNewLedger } from './restore-world.ts'
import { storedWorld } from './worlds.ts'

export type PostgresRestoreWorldParts = {
  readonly from: string
  readonly url: string
  /** A durable world besides `main`. */
  readonly world: string
  /** The data folder of that database's server, for imported data. */
  readonly data?: string | undefined
  readonly progress?: CheckProgress | undefined
}

/**
 * Adds one world of a backup to a database that has `main`, in one transaction. The other worlds are unchanged, and
 * servers may use them. A node of a cluster claims the world, a single server opens it at its next start.
 */
export async function restoreWorldToPostgres(parts: PostgresRestoreWorldParts): Promise<Manifest> {
  const { from, url, world, data, progress } = parts
  const manifest = await checkBackup(from, { progress, only: world })
  const marketModel = await marketModelOf(from)
  const { record } = (await storedWorld(from, world)) ?? missing(world)
  const changed = (stored: DurableRecord): DurableRecord => ({
    ...withNewLedger(stored),
    journal: randomJournalName(stored.world),
  })
  await migrate(url)
  const add = async (connection: PostgresConnection): Promise<void> => {
    assertSameMarket(marketModel, (await journalHead(connection, url)).marketModel)
    await transaction(connection, async () => {
      const { rows } = await connection.query('SELECT world, code FROM quipu_worlds ORDER BY world')
      for (const row of rows) assertDifferent(record, addressOf(url), row)
      await copyWorldIn(connection, manifest, { from, marketModel, changed, progress })
    })
  }
  await withConnection(url, add).catch((error) => {
    throw asUnreachable(url, error)
  })
  if (data !== undefined) copyImportedData(from, data, manifest)
  return manifest
}

import { withLoss } from '@quipu/broker/backup/check-journal.ts'
import { worldsOf } from '@quipu/broker/backup/postgres-snapshot.ts'
import { readEvents } from '@quipu/broker/journal/postgres/reader.ts'
import { addressOf, withConnection } from '@quipu/broker/postgres/connection.ts'
import { formatOf } from '@quipu/broker/postgres/migrations.ts'
import { lossInPostgres } from '@quipu/broker/registry/store/postgres-loss.ts'
import { auditEvents } from '@quipu/broker/world/audit/audit.ts'
import { type AuditOnWire, auditToWire } from '@quipu/server/wire/audit-wire.ts'
import { CommandFailed } from '../command.ts'

/** Audits the journal of a world in PostgreSQL up to its head. Changes nothing, and does not block a running engine. */
export async function auditPostgres(
  url: string,
  world: string,
): Promise<AuditOnWire & { readonly world: string; readonly ledger_id: string }> {
  const address = addressOf(url)
  return withConnection(url, async (connection) => {
    const format = await formatOf(connection, address)
    const durable = format > 0 ? await worldsOf(connection) : []
    const stored = durable.find(({ record }) => record.world === world)
    const name = stored?.name ?? world
    const { rows } = format
      ? await connection.query('SELECT seq, hash FROM quipu_journals WHERE world = $1', [name])
      : { rows: [] }
    const loss = format ? await lossInPostgres(connection, name) : undefined
    if (rows.length === 0)
      throw loss ?? new CommandFailed(`${address} has no world ${world}: check QUIPU_STORE and --world`)
    const [{ seq, hash }] = rows
    const report = await auditEvents(readEvents(connection, name, 0, Number(seq)), {
      seq: Number(seq),
      hash,
    })
    return { world, ledger_id: stored?.record.ledgerId ?? world, ...auditToWire(withLoss(report, loss)) }
  })
}

/** `main` and the durable worlds of a database. */
export const worldsInPostgres = (url: string): Promise<readonly string[]> =>
  withConnection(url, async (connection) => {
    const format = await formatOf(connection, addressOf(url))
    const durable = format > 0 ? await worldsOf(connection) : []
    return ['main', ...durable.map(({ record }) => record.world)]
  })

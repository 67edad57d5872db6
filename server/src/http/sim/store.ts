import { MAIN, type WorldEntry, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { BackupRecord, OutputOf } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { lastAuditOf } from './world/last-audits.ts'
import { entryOf } from './world-named.ts'

export type BackupResponse = BackupRecord

/** The backups of `main`. */
export type Backups = {
  /** Why there can be no backup, if there cannot. */
  readonly obstacle?: string | undefined
  /** Makes a backup. `taken`: the name exists; `running`: another backup is being made; `failed`: nothing was made. */
  create(
    name: string | undefined,
  ): Promise<
    | { readonly kind: 'made'; readonly backup: BackupResponse }
    | { readonly kind: 'taken'; readonly name: string }
    | { readonly kind: 'running' }
    | { readonly kind: 'failed'; readonly problem: string }
  >
  /** The backups in the backup folder, newest first. */
  list(): Promise<readonly BackupResponse[]>
  /** The last known backup, also one in another folder. */
  last(): Promise<BackupResponse | undefined>
}

export const storeHandlers = (worlds: Worlds, backups: Backups) =>
  ({
    async getWorldStore({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      const { world } = entry
      context.state.seq = world.engine.durable
      const backup = world.id === MAIN ? await backups.last() : undefined
      return {
        world: world.id,
        seq: world.engine.durable,
        ...(await sizesOf(entry)),
        disk_free_bytes: entry.durable ? context.services.monitoring.disk?.freeBytes : undefined,
        last_audit: auditOf(entry),
        last_backup: backup,
      }
    },

    listBackups: () => backups.list(),

    async createBackup({ body }) {
      if (backups.obstacle !== undefined)
        throw refuse({ code: 'backupNotPossible', problem: backups.obstacle })
      const outcome = await backups.create(body.name)
      switch (outcome.kind) {
        case 'made':
          return outcome.backup
        case 'taken':
          throw refuse({ code: 'backupNameTaken', name: outcome.name })
        case 'running':
          throw refuse({ code: 'backupRunning' })
        case 'failed':
          throw refuse({ code: 'backupFailed', problem: outcome.problem })
      }
    },
  }) satisfies SomeHandlers

type StoreRecord = OutputOf<'getWorldStore'>

async function sizesOf({
  size,
  storage,
}: WorldEntry): Promise<Pick<StoreRecord, 'stored_in'> & Partial<StoreRecord>> {
  const found = await (storage ? storage.journal.size() : size?.())
  if (!found) return { stored_in: 'memory' }
  const { kind, journalBytes, queryTablesBytes, snapshotsBytes } = found
  return {
    stored_in: kind,
    journal_bytes: journalBytes,
    query_tables_bytes: queryTablesBytes,
    snapshots_bytes: snapshotsBytes,
  }
}

function auditOf({ world }: WorldEntry): StoreRecord['last_audit'] {
  const last = lastAuditOf(world)
  if (!last) return undefined
  const { sound, seq, problems } = last.audit
  return { at: last.at, sound, seq, problems }
}

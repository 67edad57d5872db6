import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { missing } from '@quipu/core/values'
import { copyAccess } from '../access/access-store.ts'
import { openFilesAccess } from '../access/files.ts'
import { copySealingKey } from '../access/sealing-key.ts'
import { diskOperations, makeFolder } from '../data-folder/file-operations.ts'
import { marketModelOf } from '../data-folder/folder.ts'
import { mainPaths } from '../data-folder/folder-layout.ts'
import { keepOwner } from '../data-folder/keep-owner.ts'
import { credentialsPath, readCredentials, writeCredentials } from '../data-folder/owner-file.ts'
import { HashChain, openBytes } from '../journal/chain.ts'
import type { Entry, JournalPosition } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { addressOf, asUnreachable, type PostgresConnection, withConnection } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { transaction } from '../postgres/statements.ts'
import { type DurableRecord, durableRecordText } from '../registry/durable-storage.ts'
import { postgresAccess } from '../registry/store/postgres-access.ts'
import { lossInPostgres, renameProof } from '../registry/store/postgres-loss.ts'
import { MAIN } from '../registry/worlds.ts'
import type { CheckProgress } from './check-journal.ts'
import { BackupUnusable, StoreInUse } from './failures.ts'
import { copyImportedData } from './imported-data.ts'
import type { Manifest } from './manifest.ts'
import { checkMainBackup } from './restore.ts'
import { insertRunFiles } from './run-files.ts'
import { type Only, storedWorld, type WorldHead } from './worlds.ts'

export type PostgresRestoreParts = Only & {
  readonly from: string
  readonly url: string
  /** The data folder of that database's server, for the credentials. */
  readonly data?: string | undefined
  readonly progress?: CheckProgress | undefined
}

export type PostgresRestored = Manifest & {
  readonly credentials: 'of the backup' | 'of the data folder' | 'none'
}

/**
 * Restores a backup into a database without a journal. The backup is checked first and written in one transaction.
 * The first start builds the query tables.
 */
export async function restoreToPostgres(parts: PostgresRestoreParts): Promise<PostgresRestored> {
  const { from, url, data, progress } = parts
  const manifest = await checkMainBackup(from, parts)
  const marketModel = await marketModelOf(from)
  await migrate(url)
  const fill = (connection: PostgresConnection) =>
    transaction(connection, async () => {
      await takeEmpty(connection, url, marketModel)
      await copyIn(connection, MAIN, mainPaths(from).journal, manifest, progress)
      for (const head of manifest.worlds ?? []) await copyWorldIn(connection, head, { ...parts, marketModel })
      await insertRunFiles(connection, from)
      await copyAccess(
        openFilesAccess(mainPaths(from).access),
        postgresAccess(() => connection, MAIN),
      )
    })
  await withConnection(url, fill).catch((error) => {
    throw asUnreachable(url, error)
  })
  if (data !== undefined) copyImportedData(from, data, manifest)
  return { ...manifest, credentials: data === undefined ? 'none' : await copyCredentialsTo(from, data) }
}

/** Locks the row: no server can create a journal meanwhile, and a waiting server finds the complete one. */
const lockEmpty = `
  INSERT INTO quipu_journals AS held (world, seq, hash, fence, holder, market) VALUES ($1, 0, $3, 1, $2, $4)
  ON CONFLICT (world) DO UPDATE SET fence = held.fence + 1, holder = $2, taken_at = now(), market = $4
  WHERE held.seq = 0
  RETURNING world`

const holderName = (): string => `restore on ${hostname()}`

async function takeEmpty(connection: PostgresConnection, url: string, marketModel: number): Promise<void> {
  const { rows } = await connection.query(lockEmpty, [
    MAIN,
    holderName(),
    new HashChain().position.hash,
    marketModel,
  ])
  if (rows.length === 0)
    throw new StoreInUse(`${addressOf(url)} already has a journal; restore into an empty database`)
  const loss = await lossInPostgres(connection, MAIN)
  if (loss) await renameProof(connection, MAIN, loss)
  // Rows of an earlier journal.
  for (const table of [
    'query_tables',
    'orders',
    'requests',
    'history',
    'updates',
    'snapshots',
    'segments',
    'events',
    'addresses',
    'key_uses',
  ])
    await connection.query(`DELETE FROM quipu_${table} WHERE world = $1`, [MAIN])
}

/** Restores a durable world besides `main`. Its rows take the lease from a server that may have had it. */
export async function copyWorldIn(
  connection: PostgresConnection,
  head: WorldHead,
  { from, marketModel, changed = (record) => record, progress }: WorldParts,
): Promise<void> {
  const stored = (await storedWorld(from, head.world)) ?? missing(head.world)
  const record = changed(stored.record)
  const { rows } = await connection.query(lockEmpty, [
    record.journal,
    holderName(),
    new HashChain().position.hash,
    marketModel,
  ])
  if (rows.length === 0) throw new StoreInUse(`the database already has a journal of world ${head.world}`)
  await copyIn(connection, record.journal, stored.journal, head, progress)
  await connection.query('INSERT INTO quipu_worlds (world, code, record) VALUES ($1, $2, $3)', [
    record.world,
    record.code,
    durableRecordText(record),
  ])
}

type WorldParts = Pick<PostgresRestoreParts, 'from' | 'progress'> & {
  readonly marketModel: number
  /** Changes the stored record. */
  readonly changed?: (record: DurableRecord) => DurableRecord
}

/** Throws if the journal does not lead to its head. */
async function copyIn(
  connection: PostgresConnection,
  world: string,
  journal: string,
  { seq, hash }: JournalPosition,
  progress?: CheckProgress,
): Promise<void> {
  const reader = new JournalReader(journal)
  const chain = new HashChain()
  try {
    for await (const entries of reader.read(0, seq)) {
      await insert(connection, world, chain.seq, entries)
      chain.update(openBytes(entries), entries.length)
      progress?.(chain.seq)
    }
  } finally {
    await reader.close()
  }
  if (chain.position.hash !== hash)
    throw new BackupUnusable(`${journal} changed while it was read; try again`)
  await storeHead(connection, world, chain)
}

async function insert(
  connection: PostgresConnection,
  world: string,
  after: number,
  entries: readonly Entry[],
): Promise<void> {
  const [open, sealed] = [entries.map((entry) => entry.open), entries.map((entry) => entry.sealed ?? null)]
  await connection.query({
    name: 'restore',
    text: `INSERT INTO quipu_events (world, seq, open, sealed)
      SELECT $1, $2::bigint + event.number, event.open, event.sealed
      FROM unnest($3::bytea[], $4::bytea[]) WITH ORDINALITY AS event (open, sealed, number)`,
    values: [world, after, open, sealed],
  })
}

async function storeHead(connection: PostgresConnection, world: string, chain: HashChain): Promise<void> {
  const { seq, hash } = chain.position
  const segments = Array.from({ length: Math.ceil(seq / chain.segmentEvents) }, (_, segment) => segment)
  const seeds = segments.map((segment) => chain.atSegmentStart(segment * chain.segmentEvents + 1).seed())
  await connection.query(
    'INSERT INTO quipu_segments (world, segment, seed) SELECT $1, * FROM unnest($2::integer[], $3::text[])',
    [world, segments, seeds.map((seed) => seed.toString('hex'))],
  )
  await connection.query('UPDATE quipu_journals SET seq = $2, hash = $3 WHERE world = $1', [world, seq, hash])
}

/** Existing credentials and keys in the data folder are kept, because they cannot be recovered. */
async function copyCredentialsTo(from: string, data: string): Promise<PostgresRestored['credentials']> {
  const isInBackup = existsSync(credentialsPath(from))
  if (isInBackup) await makeFolder(diskOperations, data)
  if (existsSync(data)) copySealingKey(from, data)
  const isKept = existsSync(credentialsPath(data))
  if (isInBackup && !isKept) writeCredentials(data, readCredentials(from))
  keepOwner(data)
  return isKept ? 'of the data folder' : isInBackup ? 'of the backup' : 'none'
}

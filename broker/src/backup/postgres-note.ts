import { withConnection } from '../postgres/connection.ts'
import { MAIN } from '../registry/worlds.ts'
import type { MadeBackup } from './last-backup.ts'

const TIMEOUT_MS = 5_000

const store = `INSERT INTO quipu_backups AS last (world, at, record) VALUES ($1, $2, $3)
  ON CONFLICT (world) DO UPDATE SET at = $2, record = $3 WHERE last.at < $2`
const select = 'SELECT record FROM quipu_backups WHERE world = $1'

/** Notes the last backup in the database, so that every node of a cluster knows it. A failure is ignored: the backup is good. */
export async function noteBackupIn(url: string, backup: MadeBackup): Promise<void> {
  const values = [MAIN, backup.at, JSON.stringify(backup)]
  await withConnection(url, (connection) => connection.query(store, values), { timeoutMs: TIMEOUT_MS }).catch(
    () => undefined,
  )
}

/** The last noted backup of a database; undefined if there is none or the database cannot be asked. */
export async function lastBackupIn(url: string): Promise<MadeBackup | undefined> {
  return withConnection(
    url,
    async (connection) => {
      const { rows } = await connection.query(select, [MAIN])
      return rows[0] && (JSON.parse(rows[0].record) as MadeBackup)
    },
    { timeoutMs: TIMEOUT_MS },
  ).catch(() => undefined)
}

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { backUpInThread } from '@quipu/broker/backup/in-thread.ts'
import { backupsIn, lastBackupOf, type MadeBackup } from '@quipu/broker/backup/last-backup.ts'
import { readManifest } from '@quipu/broker/backup/manifest.ts'
import { bytesAt } from '@quipu/broker/data-folder/disk-usage.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import type { Config } from '../config/config.ts'
import type { BackupResponse, Backups } from '../http/sim/store.ts'

type Stored = Pick<Config, 'data' | 'store'>

/** The backups of `main` in the backup folder of the server. */
export function backupsOf(config: Stored & Pick<Config, 'backups'>, worlds: Pick<Worlds, 'main'>): Backups {
  const data = config.data.kind === 'folder' ? config.data.path : undefined
  const url = config.store.kind === 'postgres' ? config.store.url : undefined
  const folder = config.backups ?? (data && backupsIn(data))
  let isRunning = false
  const list = async () => {
    const made = folder === undefined ? [] : await madeIn(folder)
    // Another node may have made the last one.
    const noted = url === undefined ? undefined : await lastNoted(config)
    const isElsewhere = noted && !made.some((one) => one.folder === noted.folder)
    return Promise.all(newestFirst(isElsewhere ? [...made, noted] : made).map(backupToWire))
  }
  return {
    obstacle: obstacleOf({ data, url, folder }),
    list,
    async last() {
      const noted = await lastNoted(config)
      const known = [...(await list()), ...(noted ? [await backupToWire(noted)] : [])]
      return known.reduce<BackupResponse | undefined>((a, b) => (a && a.at >= b.at ? a : b), undefined)
    },
    async create(name = nameNow()) {
      const to = join(folder!, name)
      if (existsSync(to)) return { kind: 'taken', name }
      if (isRunning) return { kind: 'running' }
      isRunning = true
      try {
        const { main } = worlds
        await main.commands.quiet()
        const made = await backUpInThread({ url, data, to, head: main.storage.journal.head() })
        return 'problem' in made
          ? { kind: 'failed', problem: made.problem }
          : { kind: 'made', backup: await backupToWire({ ...made.manifest, folder: to }) }
      } finally {
        isRunning = false
      }
    },
  }
}

type Places = {
  readonly data: string | undefined
  readonly url: string | undefined
  readonly folder: string | undefined
}

function obstacleOf({ data, url, folder }: Places): string | undefined {
  if (data === undefined && url === undefined) return 'the server keeps nothing (--data memory)'
  return folder === undefined ? 'the server has no folder for backups: set QUIPU_BACKUPS' : undefined
}

/** `20261115-080000`, in UTC. */
const nameNow = (): string => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')

/** Complete backups. Folders without a manifest are not backups. */
async function madeIn(folder: string): Promise<readonly MadeBackup[]> {
  const names = await readdir(folder).catch(() => [])
  const read = names.map(async (name) => {
    const path = join(folder, name)
    return readManifest(path).then(
      (manifest) => [{ ...manifest, folder: path }],
      () => [],
    )
  })
  return (await Promise.all(read)).flat()
}

const newestFirst = (backups: readonly MadeBackup[]): readonly MadeBackup[] =>
  backups.toSorted((a, b) => (a.at > b.at ? -1 : 1))

/** The last backup that was noted: in the database, which all nodes share, else in the data folder. */
export async function lastNoted({ data, store }: Stored): Promise<MadeBackup | undefined> {
  if (store.kind === 'postgres')
    return (await import('@quipu/broker/backup/postgres-note.ts')).lastBackupIn(store.url)
  return data.kind === 'folder' ? lastBackupOf(data.path) : undefined
}

async function backupToWire({ folder, at, seq, hash, version }: MadeBackup): Promise<BackupResponse> {
  const bytes = await bytesAt(folder)
  return { name: basename(folder), folder, at, seq, hash, version, ...(bytes > 0 && { bytes }) }
}

import { lastBackupMs } from '@quipu/broker/backup/last-backup.ts'
import { freeBytesOf } from '@quipu/broker/data-folder/disk-space.ts'
import type { Config } from '../config/config.ts'
import type { Sample } from '../http/metrics/metrics.ts'
import type { Services } from '../http/services.ts'
import { whyNotReady } from '../http/sim/system.ts'
import { lastNoted } from './backups.ts'

/** Registers what alerts watch: readiness, free disk space and the age of the last backup. */
export function watchHealth(config: Pick<Config, 'data' | 'store'>, services: Services): void {
  const { metrics } = services.monitoring
  const { data, store } = config
  const backupMs = lastBackupTime(config)
  const folder = data.kind === 'folder' ? data.path : undefined
  const isStored = folder !== undefined || store.kind === 'postgres'
  metrics.observe('quipu_ready', 'gauge', 'Whether /readyz returns 200: 1 or 0.', () => [
    ['', whyNotReady(services) === undefined ? 1 : 0],
  ])
  metrics.observe('quipu_disk_free_bytes', 'gauge', 'Free bytes on the disk of the data folder.', () =>
    sampleOf(folder === undefined ? undefined : freeBytesOf(folder)),
  )
  metrics.observe(
    'quipu_backup_age_seconds',
    'gauge',
    'Time since the last known backup, or since the start of the server if there is none. Absent if the server keeps nothing.',
    () => sampleOf(isStored ? secondsSince(backupMs() ?? services.serverState.startedAt) : undefined),
  )
}

/** The database is asked at the start, and again after each read, whose value may be that of the read before. */
function lastBackupTime(config: Pick<Config, 'data' | 'store'>): () => number | undefined {
  if (config.store.kind !== 'postgres')
    return () => (config.data.kind === 'folder' ? lastBackupMs(config.data.path) : undefined)
  let known: number | undefined
  const ask = async (): Promise<void> => {
    const noted = await lastNoted(config)
    if (noted) known = Date.parse(noted.at)
  }
  void ask()
  return () => {
    void ask()
    return known
  }
}

const sampleOf = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [['', value]])

const secondsSince = (ms: number): number => Math.max(0, (Date.now() - ms) / 1000)

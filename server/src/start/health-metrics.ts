import { lastBackupMs } from '../backup/last-backup.ts'
import type { Config } from '../config/config.ts'
import type { Services } from '../http/services.ts'
import { whyNotReady } from '../http/sim/system.ts'
import { freeBytesOf } from '../process/disk-space.ts'
import type { Sample } from '../process/metrics.ts'

/** Registers what alerts watch: readiness, free disk space and the age of the last backup. */
export function watchHealth({ data }: Pick<Config, 'data'>, services: Services): void {
  const { metrics, startedAt } = services
  const folder = data.kind === 'folder' ? data.path : undefined
  metrics.observe('quipu_ready', 'gauge', 'Whether /readyz returns 200: 1 or 0.', () => [
    ['', whyNotReady(services) === undefined ? 1 : 0],
  ])
  metrics.observe('quipu_disk_free_bytes', 'gauge', 'Free bytes on the disk of the data folder.', () =>
    sampleOf(folder === undefined ? undefined : freeBytesOf(folder)),
  )
  metrics.observe(
    'quipu_backup_age_seconds',
    'gauge',
    'Time since the last known backup, or since the start of the server if there is none. Absent without a data folder.',
    () => sampleOf(folder === undefined ? undefined : secondsSince(lastBackupMs(folder) ?? startedAt)),
  )
}

const sampleOf = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [['', value]])

const secondsSince = (ms: number): number => Math.max(0, (Date.now() - ms) / 1000)

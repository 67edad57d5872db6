import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskOperations, replaceFile } from '../data-folder/file-operations.ts'
import type { Manifest } from './manifest.ts'

/** A backup and its folder. */
export type MadeBackup = Manifest & { readonly folder: string }

/** The backups that a server makes, if QUIPU_BACKUPS names no other folder. */
export const backupsIn = (data: string): string => join(data, 'backups')
export const lastBackupPath = (data: string): string => join(data, 'last-backup.json')

/** Notes a backup in the data folder. The data folder may be read-only, so a failure is ignored. */
export async function noteBackup(data: string, folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify({ folder, ...manifest }, undefined, 2)}\n`
  await replaceFile(diskOperations, lastBackupPath(data), text).catch(() => undefined)
}

/** The last noted backup of a data folder. */
export async function lastBackupOf(data: string): Promise<MadeBackup | undefined> {
  try {
    return JSON.parse(await readFile(lastBackupPath(data), 'utf8')) as MadeBackup
  } catch {
    return undefined
  }
}

/** When the last noted backup of a data folder was made, in milliseconds since 1970. Reads one small file. */
export function lastBackupMs(data: string): number | undefined {
  try {
    const ms = Date.parse((JSON.parse(readFileSync(lastBackupPath(data), 'utf8')) as MadeBackup).at)
    return Number.isNaN(ms) ? undefined : ms
  } catch {
    return undefined
  }
}

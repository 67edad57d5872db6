import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { freeBytesOf } from '@quipu/broker/data-folder/disk-space.ts'
import { errorMessage } from '@quipu/core/values'
import { type Check, finding, fine } from './check.ts'
import { sizesOf } from './readiness.ts'
import { shellWord } from './shell-word.ts'

/** Below this, a busy day may fill the disk before somebody looks. */
const DISK_FREE_MIN_BYTES = 256 * 1024 * 1024
/** A certificate that is renewed by a program is renewed earlier. */
const CERTIFICATE_DAYS_MIN = 14
/** A daily backup, and two hours to make it. */
const BACKUP_HOURS_MAX = 26
/** Leases of a cluster allow more, but orders of `main` get the time of this machine. */
const CLOCK_OFF_MAX_MS = 5_000

const HOUR_MS = 3_600_000

/** The free space of the disk that has this folder. */
export function diskCheck(folder: string): Check {
  const free = freeBytesOf(folder)
  if (free === undefined) return fine('disk', `${folder}: the file system does not report its free space`)
  const detail = `${folder} has ${sizeOf(free)} free`
  if (free >= DISK_FREE_MIN_BYTES) return fine('disk', detail)
  return finding('disk', `${detail}, expected ${sizeOf(DISK_FREE_MIN_BYTES)}`, sizesOf(folder))
}

/** How many connections the limit on open files allows. */
export function filesCheck(connectionsMax: number, wanted: number): Check {
  if (connectionsMax >= wanted) return fine('files', `open files allow ${wanted} connections`)
  return finding(
    'files',
    `open files allow ${connectionsMax} connections, QUIPU_CONNECTIONS_MAX is ${wanted}`,
    'ulimit -n 65536    # or LimitNOFILE=65536 in the unit; then restart the server',
  )
}

/** The age of the last backup of a data folder, in milliseconds since 1970. */
export function backupCheck(lastMs: number | undefined, nowMs: number, data: string | undefined): Check {
  const of = data === undefined ? '' : ` --data ${shellWord(resolve(data))}`
  const fix = `quipu store backup /var/backups/quipu/$(date -u +%Y%m%dT%H%M%SZ)${of}    # daily: docs/guides/backup.md`
  if (lastMs === undefined) return finding('backup', 'no backup is known', fix)
  const hours = (nowMs - lastMs) / HOUR_MS
  const detail = `the last backup is ${ageOf(hours)} old`
  return hours <= BACKUP_HOURS_MAX ? fine('backup', detail) : finding('backup', detail, fix)
}

/** The difference between the clock of this machine and another one. */
export function clockCheck(of: string, aheadMs: number): Check {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (Math.abs(aheadMs) <= CLOCK_OFF_MAX_MS) return fine('clock', `it agrees with the clock of ${of}`)
  return finding(
    'clock',
    `the clock of ${of} is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`,
    'timedatectl set-ntp true    # on both machines; chronyc makestep corrects a large difference',
  )
}

/** The files of QUIPU_TLS. */
export function certificateFileCheck(file: string, nowMs: number): Check {
  try {
    return certificateCheck(file, new X509Certificate(readFileSync(file)), nowMs)
  } catch (error) {
    return finding(
      'certificate',
      `${file} cannot be read: ${errorMessage(error)}`,
      `ls -l ${shellWord(file)}`,
    )
  }
}

/** The time that is left until a certificate expires. */
export function certificateCheck(of: string, certificate: X509Certificate, nowMs: number): Check {
  const days = (Date.parse(certificate.validTo) - nowMs) / (24 * HOUR_MS)
  const until = new Date(certificate.validTo).toISOString().slice(0, 10)
  const fix = 'certbot renew && systemctl restart quipu    # or reload the proxy that has the certificate'
  if (days < 0) return finding('certificate', `the certificate of ${of} expired on ${until}`, fix)
  if (days < CERTIFICATE_DAYS_MIN)
    return finding('certificate', `the certificate of ${of} expires on ${until}`, fix)
  if (Date.parse(certificate.validFrom) > nowMs)
    return finding('certificate', `the certificate of ${of} is not valid yet`, 'timedatectl set-ntp true')
  return fine('certificate', `the certificate of ${of} is valid until ${until}`)
}

const ageOf = (hours: number): string =>
  hours < 48 ? `${Math.max(0, Math.round(hours))} hours` : `${Math.floor(hours / 24)} days`

const sizeOf = (bytes: number): string =>
  bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { StoreDamaged } from './failures.ts'

/** JSON in the first line, its CRC-32 in the second. A file that does not exist is undefined. */
export function readChecked<Value>(path: string): Value | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const end = text.indexOf('\n')
  const [line, checksum] = [text.slice(0, end), text.slice(end + 1).trim()]
  if (end < 0 || checksum !== hex(crc32(line))) throw new StoreDamaged(path, 'its checksum differs')
  return JSON.parse(line) as Value
}

/** Replaces a file durably and atomically. */
export function storeChecked(path: string, value: unknown): void {
  const line = JSON.stringify(value)
  const unfinished = `${path}.tmp`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeAll(file, Buffer.from(`${line}\n${hex(crc32(line))}\n`))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  syncFolder(dirname(path))
}

/** Makes new names in a folder durable. */
function syncFolder(path: string): void {
  // Windows cannot open a folder and needs no sync.
  if (process.platform === 'win32') return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(file, bytes, written, bytes.length - written)
}

const hex = (value: number): string => value.toString(16).padStart(8, '0')

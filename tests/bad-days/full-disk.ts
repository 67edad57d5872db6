import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Broker, newFolder } from '../support/broker.ts'

/** A disk that can be filled and emptied while a broker works on it. */
export type Disk = {
  readonly folder: string
  /** Whether the server can detect the full disk before a write fails. */
  readonly isDetectable: boolean
  fill(broker: Broker): void
  empty(broker: Broker): void
}

const textOf = (error: unknown): string => String((error as { stderr?: unknown }).stderr || error).trim()

/** A file system of a few megabytes. */
export function smallDisk(t: TestContext): Disk {
  const folder = mountSmall()
  t.after(() => unmount(folder))
  const filler = join(folder, 'filler')
  return { folder, isDetectable: true, fill: () => fillUp(filler), empty: () => rmSync(filler) }
}

export function mountSmall(): string {
  const folder = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', folder], { stdio: 'pipe' })
  return folder
}

export const unmount = (folder: string): void => void execFileSync('umount', ['--lazy', folder])

/** Most users may not mount a file system. */
export function canMount(): boolean {
  try {
    unmount(mountSmall())
    return true
  } catch {
    return false
  }
}

export function fillUp(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (const size of [65_536, 4_096]) while (tryWrite(handle, Buffer.alloc(size)));
  } finally {
    closeSync(handle)
  }
}

function tryWrite(handle: number, bytes: Buffer): boolean {
  try {
    return writeSync(handle, bytes) > 0
  } catch {
    return false
  }
}

/** A limit on the size of files, which any user may set for a process. */
export function limitedFiles(t: TestContext): Disk | undefined {
  const folder = join(newFolder(), 'data')
  const limit = (size: string) => (broker: Broker) =>
    void execFileSync('prlimit', ['--pid', String(broker.process.pid), `--fsize=${size}:`], { stdio: 'pipe' })
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'pipe' })
  } catch (error) {
    t.skip(`prlimit is not available: ${textOf(error)}`)
    return undefined
  }
  mkdirSync(folder)
  return { folder, isDetectable: false, fill: limit('1'), empty: limit('unlimited') }
}

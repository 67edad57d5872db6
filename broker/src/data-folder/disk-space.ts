import { statfsSync } from 'node:fs'
import { errorCode } from '@quipu/core/values'

/** Interval between two checks of the disk. */
const CHECK_MS = 50

/** The free disk space of the data folder. Below a limit, requests that write are rejected. */
export class DiskSpace {
  readonly #path: string
  readonly #freeMinBytes: number
  readonly #onChange: (isFull: boolean) => void
  #isFull = false
  #checkedMs = Number.NEGATIVE_INFINITY

  /** `onChange` is called when the disk is full, and when it has space again. */
  constructor(path: string, freeMinBytes: number, onChange: (isFull: boolean) => void = () => undefined) {
    this.#path = path
    this.#freeMinBytes = freeMinBytes
    this.#onChange = onChange
  }

  /** Undefined if the file system does not report it. */
  get freeBytes(): number | undefined {
    return freeBytesOf(this.#path)
  }

  get isFull(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#checkedMs < CHECK_MS) return this.#isFull
    this.#checkedMs = nowMs
    // If the file system does not report free space, a write on a full disk fails by itself.
    const isFull = (this.freeBytes ?? Number.POSITIVE_INFINITY) < this.#freeMinBytes
    if (isFull !== this.#isFull) this.#onChange(isFull)
    this.#isFull = isFull
    return isFull
  }
}

/** The free bytes on the disk of a folder. Undefined if the file system does not report them. */
export function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** A full disk prevents what no single write reports. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
  readonly code = 'ENOSPC'
}

/** Of the system, and of PostgreSQL (53100). */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', '53100']

/** Whether an error or its cause means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (FULL_CODES.includes(errorCode(at))) return true
  return false
}

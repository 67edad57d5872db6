import { statfsSync } from 'node:fs'

/** Between two looks at the disk. */
const LOOK_MS = 50

/** The free space where the data folder is. Below a limit, requests that write are refused before they begin. */
export class DiskSpace {
  readonly #path: string
  readonly #freeMinBytes: number
  #isFull = false
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(path: string, freeMinBytes: number) {
    this.#path = path
    this.#freeMinBytes = freeMinBytes
  }

  get isFull(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#lookedMs < LOOK_MS) return this.#isFull
    this.#lookedMs = nowMs
    try {
      const { bavail, bsize } = statfsSync(this.#path)
      this.#isFull = bavail * bsize < this.#freeMinBytes
    } catch {
      // A file system that cannot tell: a write then fails by itself.
      this.#isFull = false
    }
    return this.#isFull
  }
}

const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Whether an error, or what caused it, says that a disk takes no more. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (FULL_CODES.includes((at as NodeJS.ErrnoException).code)) return true
  return false
}

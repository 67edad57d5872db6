import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The time of the world, in a file that the processes of the program read. */
export class ProgramClock {
  readonly file: string
  readonly #descriptor: number
  #now = 0

  constructor(folder: string) {
    this.file = join(folder, 'time')
    this.#descriptor = openSync(this.file, 'w+')
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#now
  }

  /** The time at which the program has ended, if the broker has not reached it. */
  get endedAt(): Date | undefined {
    const file = `${this.file}-end`
    return existsSync(file) ? new Date(Number(readFileSync(file, 'utf8'))) : undefined
  }

  set(now: number): void {
    this.#now = now
    this.#write(0)
  }

  /** From now on it runs in real time. */
  release(): void {
    this.#write(1)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #write(speed: number): void {
    writeSync(this.#descriptor, new Float64Array([this.#now, speed, Date.now()]), 0, 24, 0)
  }
}

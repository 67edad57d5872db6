import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The time of the world, in a file that the processes of the program read. */
export class ProgramClock {
  readonly file: string
  /** What in the program did not follow it, in sentences. */
  readonly ignored = new Set<string>()
  readonly #descriptor: number
  #now = 0
  #readTime: (() => Promise<number>) | undefined
  #acted: Promise<void> = Promise.resolve()
  /** The read of the time that has not begun. */
  #next: Promise<void> | undefined

  /** How far the clock of the program is wrong. */
  readonly offsetMs: number

  constructor(folder: string, offsetMs = 0) {
    this.offsetMs = offsetMs
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
    return existsSync(file) ? new Date(Number(readFileSync(file, 'utf8')) - this.offsetMs) : undefined
  }

  set(now: number): void {
    this.#now = now
    this.#write(0)
  }

  /** From now on it has the time that this reads, which nobody sets. */
  follow(readTime: () => Promise<number>): void {
    this.#readTime = readTime
  }

  /**
   * Runs an action at the time of the world: at once, or after the time was read. Actions run in the order of the calls, and
   * those that come during a read share the next one, so that a busy stream does not ask for each message.
   */
  atTime(action: () => void): void | Promise<void> {
    const read = this.#readTime
    if (!read) return action()
    this.#next ??= this.#acted.then(() => {
      this.#next = undefined
      return this.#update(read)
    })
    this.#acted = this.#next.then(action)
    return this.#acted
  }

  /** Without the broker, and after the end of the run, the time stays. */
  #update(read: () => Promise<number>): Promise<void> {
    return read()
      .then((now) => this.set(Math.max(now, this.#now)))
      .catch(() => undefined)
  }

  /** From now on it runs in real time. */
  release(): void {
    this.#write(1)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #write(speed: number): void {
    writeSync(this.#descriptor, new Float64Array([this.#now + this.offsetMs, speed, Date.now()]), 0, 24, 0)
  }
}

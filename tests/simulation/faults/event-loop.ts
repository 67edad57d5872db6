import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import sleeping from 'node:timers/promises'
import { promptFiles } from './prompt-files.ts'

type Timer = { due: number; readonly every?: number; readonly run: () => void }

const STUCK_NS = 60_000_000_000n

const machine = {
  files: { ...files },
  sleep: sleeping.setTimeout,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
}

/**
 * While a life is lived nothing waits for the machine: files answer in the same turn, and what asks for time gets a
 * time of the simulation's own, a millisecond each turn of the event loop. So a seed decides the order of everything,
 * and waiting half a minute costs nothing.
 */
export class OwnLoop {
  #now = 0
  #running = true
  readonly #timers = new Set<Timer>()
  readonly #files = promptFiles()

  constructor() {
    Object.assign(files, this.#files.calls)
    Object.assign(sleeping, { setTimeout: this.#sleep })
    syncBuiltinESMExports()
    const set = (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      this.#add(ms, () => run(...given))
    Object.assign(globalThis, {
      setTimeout: set,
      setInterval: (run: () => void, ms: number) => this.#add(ms, run, ms),
      clearTimeout: this.#clear,
      clearInterval: this.#clear,
    })
    Object.defineProperty(performance, 'now', { configurable: true, value: () => this.#now })
    this.#turn()
  }

  /**
   * What never ends is a failure too. Turns alone do not tell: while a thread of the machine is waited for, empty ones pass by
   * the million, so a while of the machine's own time must have passed as well.
   */
  async within<Value>(turns: number, done: Promise<Value>): Promise<Value> {
    let timer: Timer | undefined
    const since = process.hrtime.bigint()
    const stuck = new Promise<never>((_, reject) => {
      const look = (): void => {
        if (process.hrtime.bigint() - since < STUCK_NS) timer = this.#add(turns, look)
        else reject(new Error(`nothing came of it in ${turns} turns`))
      }
      timer = this.#add(turns, look)
    })
    return Promise.race([done, stuck]).finally(() => this.#clear(timer))
  }

  /** Gives the machine's own files and time back. */
  end(): void {
    this.#running = false
    this.#files.closeAll()
    const { files: own, sleep, ...timers } = machine
    Object.assign(files, own)
    Object.assign(sleeping, { setTimeout: sleep })
    syncBuiltinESMExports()
    Object.assign(globalThis, timers)
    Reflect.deleteProperty(performance, 'now')
  }

  readonly #turn = (): void => {
    if (!this.#running) return
    this.#now += 1
    for (const timer of this.#timers) {
      if (timer.due > this.#now) continue
      if (timer.every === undefined) this.#timers.delete(timer)
      else timer.due = this.#now + timer.every
      timer.run()
    }
    setImmediate(this.#turn)
  }

  #add(ms = 1, run: () => void, every?: number): Timer & { ref(): Timer; unref(): Timer } {
    const timer = {
      due: this.#now + Math.max(1, Math.ceil(ms)),
      ...(every === undefined ? {} : { every }),
      run,
      ref: () => timer,
      unref: () => timer,
    }
    this.#timers.add(timer)
    return timer
  }

  readonly #clear = (timer: Timer | undefined): void => {
    if (timer) this.#timers.delete(timer)
  }

  readonly #sleep = <Value>(ms?: number, value?: Value, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<Value>((resolve, reject) => {
      signal?.throwIfAborted()
      const timer = this.#add(ms, () => resolve(value as Value))
      signal?.addEventListener('abort', () => {
        this.#timers.delete(timer)
        reject(signal.reason)
      })
    })
}

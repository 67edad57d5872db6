import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { promptFiles } from './prompt-files.ts'

type Timer = { due: number; readonly every?: number; readonly run: () => void }

const STUCK_NS = 60_000_000_000n

const machine = {
  files: { ...files },
  sleep: timersPromises.setTimeout,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
}

/**
 * During a run no code waits for the machine: file calls finish in the same turn, and timers use simulated time, one
 * millisecond per turn of the event loop. So the seed decides the order of everything, and waiting costs nothing.
 */
export class SimulatedLoop {
  #now = 0
  #running = true
  readonly #timers = new Set<Timer>()
  readonly #files = promptFiles()

  constructor() {
    Object.assign(files, this.#files.calls)
    Object.assign(timersPromises, { setTimeout: this.#sleep })
    syncBuiltinESMExports()
    const set = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      this.#add(ms, () => run(...args))
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
   * Fails if the work does not end. The number of turns alone proves nothing, because millions of empty turns pass while a
   * thread of the machine works, so a minute of real time must have passed too.
   */
  async within<Value>(turns: number, done: Promise<Value>): Promise<Value> {
    let timer: Timer | undefined
    const since = process.hrtime.bigint()
    const stuck = new Promise<never>((_, reject) => {
      const check = (): void => {
        if (process.hrtime.bigint() - since < STUCK_NS) timer = this.#add(turns, check)
        else reject(new Error(`no result after ${turns} turns`))
      }
      timer = this.#add(turns, check)
    })
    return Promise.race([done, stuck]).finally(() => this.#clear(timer))
  }

  /** Restores the file calls and timers of the machine. */
  end(): void {
    this.#running = false
    this.#files.closeAll()
    const { files: machineFiles, sleep, ...timers } = machine
    Object.assign(files, machineFiles)
    Object.assign(timersPromises, { setTimeout: sleep })
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

import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import files, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'

/** A process of a simulation with several. While it is paused, nothing of it runs. */
export type SimulatedProcess = { readonly isPaused: boolean; readonly isOver: boolean }

/** The process that runs now. It is undefined for clients, and in simulations of one process. */
export const currentProcess = new AsyncLocalStorage<SimulatedProcess | undefined>()

type Timer = {
  due: number
  readonly every?: number
  readonly process: SimulatedProcess | undefined
  readonly run: () => void
}

const STUCK_NS = 60_000_000_000n

const machine = {
  files: { ...files },
  sleep: timersPromises.setTimeout,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  bigint: process.hrtime.bigint,
  threadCpuUsage: process.threadCpuUsage,
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
    // The CPU time of a real machine would decide which requests wait for the next turn (server/src/http/turns.ts).
    Object.assign(process, { threadCpuUsage: () => ({ user: 0, system: 0 }) })
    this.#turn()
  }

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#now
  }

  /**
   * Fails if the work does not end. The number of turns alone proves nothing, because millions of empty turns pass while a
   * thread of the machine works, so a minute of real time must have passed too.
   */
  async within<Value>(turns: number, done: Promise<Value>): Promise<Value> {
    let timer: Timer | undefined
    const { bigint: realTime } = machine
    const since = realTime()
    const stuck = new Promise<never>((_, reject) => {
      const check = (): void => {
        if (realTime() - since < STUCK_NS) timer = this.#add(turns, check)
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
    const { files: machineFiles, sleep, bigint: _, threadCpuUsage, ...timers } = machine
    Object.assign(files, machineFiles)
    Object.assign(timersPromises, { setTimeout: sleep })
    syncBuiltinESMExports()
    Object.assign(globalThis, timers)
    Object.assign(process, { threadCpuUsage })
    Reflect.deleteProperty(performance, 'now')
  }

  readonly #turn = (): void => {
    if (!this.#running) return
    this.#now += 1
    for (const timer of this.#timers) {
      if (timer.due > this.#now || timer.process?.isPaused) continue
      if (timer.process?.isOver) {
        this.#timers.delete(timer)
        continue
      }
      if (timer.every === undefined) this.#timers.delete(timer)
      else timer.due = this.#now + timer.every
      if (timer.process) currentProcess.run(timer.process, timer.run)
      else timer.run()
    }
    setImmediate(this.#turn)
  }

  #add(ms = 1, run: () => void, every?: number): Timer & { ref(): Timer; unref(): Timer; refresh(): Timer } {
    const wait = Math.max(1, Math.ceil(ms))
    const timer = {
      due: this.#now + wait,
      ...(every === undefined ? {} : { every }),
      process: currentProcess.getStore(),
      run,
      ref: () => timer,
      unref: () => timer,
      refresh: () => Object.assign(timer, { due: this.#now + wait }),
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

/** The calls of `node:fs/promises` that the program uses, finished in the same turn. */
export function promptFiles() {
  const open = new Set<number>()
  const close = (file: number): void => {
    if (open.delete(file)) fs.closeSync(file)
  }
  const handleOf = (file: number) => ({
    fd: file,
    read: async (bytes: Buffer, at: number, length: number, from: number) => ({
      bytesRead: fs.readSync(file, bytes, at, length, from),
      buffer: bytes,
    }),
    appendFile: async (text: string) => fs.appendFileSync(file, text),
    sync: async () => fs.fsyncSync(file),
    close: async () => close(file),
  })
  return {
    calls: {
      open: async (path: string, flags = 'r', mode = 0o666) => {
        const file = fs.openSync(path, flags, mode)
        open.add(file)
        return handleOf(file) as unknown as FileHandle
      },
      readdir: async (path: string) => fs.readdirSync(path),
      readFile: async (path: string) => fs.readFileSync(path),
      stat: async (path: string) => fs.statSync(path),
      mkdir: async (path: string, options: fs.MakeDirectoryOptions) => fs.mkdirSync(path, options),
      rename: async (from: string, to: string) => fs.renameSync(from, to),
      rm: async (path: string, options: fs.RmOptions) => fs.rmSync(path, options),
    },
    /** Closes files that an ended process left open. */
    closeAll(): void {
      for (const file of open) close(file)
    },
  }
}

/** Waits for turns of the event loop. */
export async function tick(times = 1): Promise<void> {
  for (let left = times; left > 0; left--) await new Promise((resume) => setImmediate(resume))
}

import assert from 'node:assert/strict'
import type { Instant, WorldSettings } from '@quipu/core'
import type { Entry, Journal } from '../../../broker/src/journal/journal.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'
import { stopEngines } from '../checker/recorder.ts'
import { isExpectedError } from './injected-error.ts'
import { Process } from './process.ts'
import type { Store } from './store.ts'

/** Runs one world on one store, in a sequence of processes that can end at any time. */
export class Machine {
  readonly store: Store
  readonly #random: Random
  readonly #settings: WorldSettings
  #process: Process | undefined
  /** The wall clock while no process runs. */
  #now: Instant
  readonly counts = { starts: 0, cuts: 0, kills: 0, failures: 0, snapshotStarts: 0 }

  constructor(random: Random, store: Store, settings: WorldSettings, start: Instant) {
    this.#random = random
    this.store = store
    this.#settings = settings
    this.#now = start
  }

  get process(): Process {
    return this.#process!
  }

  get world(): World {
    return this.process.world
  }

  /** Starts a process; repeats the start if the process ends or the store refuses it. */
  async start(): Promise<void> {
    while (!(await this.#begin())) this.stop('cut')
  }

  /** Starts another process that takes over the world; returns the older process, which must stop. */
  async takeOver(): Promise<Process> {
    const older = this.process
    this.#now = older.clock.now()
    while (!(await this.#begin())) {
      this.process.access.end()
      this.#leave()
    }
    return older
  }

  /** Ends the processes without a clean stop. */
  stop(mode: 'cut' | 'kill'): void {
    stopEngines()
    this.counts[mode === 'cut' ? 'cuts' : 'kills'] += 1
    this.#leave()
    this.store.stop(mode)
  }

  /** Moves the wall clock forward, or a little backward. */
  passTime(ns: bigint): void {
    this.#now = (this.#now + ns) as Instant
  }

  async #begin(): Promise<boolean> {
    this.counts.starts += 1
    const process = new Process({
      random: this.#random,
      settings: this.#settings,
      store: this.store,
      now: this.#now,
    })
    this.#process = process
    const isUp = await process.start()
    if (process.usedSnapshot) this.counts.snapshotStarts += 1
    return isUp
  }

  #leave(): void {
    if (!this.#process) return
    this.counts.failures += this.#process.crashes
    this.#now = this.#process.clock.now()
    this.#process = undefined
  }
}

/** Reads new entries of a journal; undefined if the journal failed before its world noticed. */
export async function readNewEntries(journal: Journal, known: number): Promise<readonly Entry[] | undefined> {
  const grown: Entry[] = []
  try {
    for await (const entries of journal.read(known)) grown.push(...entries)
    return grown
  } catch (error) {
    assert(isExpectedError(error), error as Error)
    return undefined
  }
}

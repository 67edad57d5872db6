import assert from 'node:assert/strict'
import type { Instant, WorldSettings } from '@quipu/core'
import type { Entry, Journal } from '../../../server/src/journal/journal.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { Random } from '../../random.ts'
import { buryEngines } from '../checker/recorder.ts'
import { isTrouble } from './injected-error.ts'
import { Process } from './process.ts'
import type { Store } from './store.ts'

/** Runs one world on one store, in one process after another, each of which can end at any moment. */
export class Machine {
  readonly store: Store
  readonly #random: Random
  readonly #settings: WorldSettings
  #process: Process | undefined
  /** What the clock on the wall shows while nothing runs. */
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

  /** Starts the process, again where it ends or the store refuses before it is up. */
  async start(): Promise<void> {
    while (!(await this.#begin())) this.stop('cut')
  }

  /** Another process takes the world over while this one runs. Gives the older one, which has to stop. */
  async takeOver(): Promise<Process> {
    const older = this.process
    this.#now = older.clock.now()
    while (!(await this.#begin())) {
      this.process.access.end()
      this.#leave()
    }
    return older
  }

  /** The processes end without a word. */
  stop(how: 'cut' | 'kill'): void {
    buryEngines()
    this.counts[how === 'cut' ? 'cuts' : 'kills'] += 1
    this.#leave()
    this.store.stop(how)
  }

  /** The wall clock may have gone on, or been put back a little. */
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

/** What a journal has grown by; nothing where it ended in the same instant, an instant before its world is told. */
export async function readOn(journal: Journal, known: number): Promise<readonly Entry[] | undefined> {
  const grown: Entry[] = []
  try {
    for await (const entries of journal.read(known)) grown.push(...entries)
    return grown
  } catch (error) {
    assert(isTrouble(error), error as Error)
    return undefined
  }
}

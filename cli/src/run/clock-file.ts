import { renameSync, writeFileSync } from 'node:fs'
import type { Client } from '@quipu/sdk'
import type { ClockState } from './program/world-time.ts'

const POLL_MS = 50
/** Differences below this are the time that a request takes. */
const DRIFT_MS = 20

/** Writes the clock of a virtual world to a file whenever it changes other than by its speed. */
export class ClockFile {
  readonly #operator: Client
  readonly #world: string
  readonly #file: string
  #written: ClockState | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(operator: Client, world: string, file: string) {
    this.#operator = operator
    this.#world = world
    this.#file = file
  }

  /** Undefined if the world has the time of the machine. */
  static async open(operator: Client, world: string, file: string): Promise<ClockFile | undefined> {
    const { clock } = await operator.getWorldClock({ params: { world } })
    if (clock === 'wall') return undefined
    const opened = new ClockFile(operator, world, file)
    await opened.#update()
    opened.#updateLater()
    return opened
  }

  /** The time of the world, in milliseconds since 1970. */
  get now(): number {
    const { now, speed, at } = this.#written ?? { now: Number.NaN, speed: 0, at: 0 }
    return now + (Date.now() - at) * speed
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // The clock of the run stops with it.
    this.#written = { now: this.now, speed: 0, at: 0 }
  }

  #updateLater(): void {
    this.#timer = setTimeout(async () => {
      // Without the broker the program gets errors of its own.
      await this.#update().catch(() => {})
      if (this.#timer) this.#updateLater()
    }, POLL_MS).unref()
  }

  async #update(): Promise<void> {
    const { now, speed } = await this.#operator.getWorldClock({ params: { world: this.#world } })
    const state: ClockState = { now: Date.parse(now), speed, at: Date.now() }
    const { now: then, at, speed: before } = this.#written ?? { now: Number.NaN, at: 0, speed: Number.NaN }
    const drift = Math.abs(state.now - (then + (state.at - at) * speed))
    if (before === speed && drift <= DRIFT_MS * speed) return
    this.#written = state
    const unfinished = `${this.#file}.tmp`
    writeFileSync(unfinished, JSON.stringify(state))
    renameSync(unfinished, this.#file)
  }
}

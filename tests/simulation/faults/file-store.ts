import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '@quipu/core'
import { openFilesJournal } from '../../../broker/src/journal/files.ts'
import { loadSnapshot, writeSnapshot } from '../../../broker/src/query-tables/snapshot/snapshot.ts'
import type { Random } from '../../support/random.ts'
import { SEGMENT_EVENTS } from '../checker/reference.ts'
import { Disk, type Fault } from './disk.ts'
import { unanswered } from './injected-error.ts'
import type { Access, Note, Store } from './store.ts'

const FAULTS: readonly Fault[] = ['cut', 'cut', 'error', 'short', 'short']

/** The journal and snapshots of a world in files, on a disk with faults. */
export class FileStore implements Store {
  readonly isShared = false
  readonly holdsReads = false
  readonly #random: Random
  readonly #disk: Disk
  #tornTails = 0

  constructor(random: Random, note: Note) {
    this.#random = random
    this.#disk = new Disk(random, note)
  }

  get isHeld(): boolean {
    return this.#disk.isHeld
  }

  connect(): Access {
    const disk = this.#disk
    const { operations, folder, ended } = disk
    const isOver = () => disk.operations !== operations
    return {
      openJournal: async () => {
        if (isOver()) return unanswered()
        const journal = await openFilesJournal(folder, { operations, segmentEvents: SEGMENT_EVENTS })
        if (isOver()) return unanswered()
        if (journal.recovered) this.#tornTails += 1
        return journal
      },
      snapshot: (journal, upTo) => loadSnapshot(disk.stableFolder, journal, upTo),
      ended,
      isEnded: () => disk.isEnded,
      sent: () => disk.calls,
      isSuperseded: () => false,
      end: () => disk.cut(),
    }
  }

  hold(): void {
    this.#disk.hold()
  }

  release(count?: number): void {
    this.#disk.release(count)
  }

  plan(): void {
    this.#disk.plan(this.#random.integer(1, 12), this.#random.pick(FAULTS))
  }

  clearFaults(): void {
    this.#disk.clearFaults()
  }

  stop(mode: 'cut' | 'kill'): void {
    this.#disk.cut()
    if (mode === 'cut') this.#disk.restart()
    else this.#disk.reconnect()
  }

  async writeSnapshot(state: State, hash: string): Promise<void> {
    await writeSnapshot(this.#disk.stableFolder, state, { hash, keep: 2 })
  }

  /** Flips one bit. */
  corruptSnapshot(): void {
    const random = this.#random
    const { stableFolder } = this.#disk
    const name = random.pick(readdirSync(stableFolder))
    if (!name) return
    const bytes = readFileSync(join(stableFolder, name))
    const at = random.integer(0, bytes.length - 1)
    bytes[at] = bytes[at]! ^ (1 << random.integer(0, 7))
    writeFileSync(join(stableFolder, name), bytes)
  }

  counts(): Record<string, number> {
    return { tornTails: this.#tornTails }
  }

  remove(): void {
    this.#disk.cut()
    this.#disk.remove()
  }
}

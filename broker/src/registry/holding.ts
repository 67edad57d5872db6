import type { BookTransferResponse, WorldId } from '@quipu/core'
import { missing } from '@quipu/core/values'
import { NotApplied } from '../journal/not-applied.ts'
import type { World } from '../world/world.ts'
import type { WorldRequest } from './ask-world.ts'
import { DurableWorld } from './durable.ts'
import type { DurableRecord, StoredWorld } from './durable-storage.ts'
import type { WorldOpener } from './opening/open-entry.ts'
import { MAIN, type MainParts } from './opening/open-main.ts'
import type { Successor, WorldEntry } from './world-entry.ts'
import type { SharedByWorlds } from './world-list.ts'
import type { WorldNames } from './world-names.ts'
import { responseOf } from './world-response.ts'

export type HoldingParts = SharedByWorlds & {
  readonly main: MainParts
  readonly names: WorldNames
  readonly opener: WorldOpener
  /** Durable worlds that could not be opened. */
  readonly unopened: Map<WorldId, DurableWorld>
}

/** The stored worlds that this process holds. A node of a cluster opens a world when it claims it, and releases it. */
export class Holding {
  readonly #shared: HoldingParts
  /** The end of the start. Absent on a node of a cluster: another node may hold worlds that are not in the list. */
  #opened: Promise<void> | undefined

  constructor(shared: HoldingParts) {
    this.#shared = shared
  }

  /** Whether other nodes may hold worlds. */
  get isNode(): boolean {
    return this.#opened === undefined
  }

  /** Opens `main` and the durable worlds of these records: this process holds all worlds. */
  async openAll(records: readonly DurableRecord[]): Promise<void> {
    const { parts, unopened } = this.#shared
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#opened = promise
    await this.openMain()
    for (const record of records)
      await this.openDurable(record).catch((error) => {
        unopened.set(
          record.world,
          DurableWorld.reopen(parts.durable ?? missing('the storage of durable worlds'), record),
        )
        parts.failed(record.world, error)
      })
    resolve()
  }

  async openMain(): Promise<World> {
    return (await this.#shared.opener.main()).world
  }

  /** Opens a durable world of an earlier process. */
  async openDurable(record: DurableRecord): Promise<World> {
    return (await this.#shared.opener.stored(record)).world
  }

  /** Closes a world that another node may continue: a certain one, or any. Its streams continue there. */
  async release(id: WorldId, to?: Successor): Promise<void> {
    const { list, main } = this.#shared
    const entry = list.get(id)
    list.release(id)
    if (to) (id === MAIN ? main.store : entry?.storage?.journal)?.handOver?.(to)
    if (!entry) return
    entry.world.status.ending = 'released'
    await this.close(entry)
  }

  async close({ world, clock, held }: WorldEntry): Promise<void> {
    await clock?.freeze().catch((error) => this.#shared.parts.failed(world.id, error))
    await held.end()
  }

  /** A stored world that another process may hold. */
  async stored(id: WorldId): Promise<StoredWorld | undefined> {
    return this.#shared.parts.durable?.stored?.(id)
  }

  /** A durable world of this process that follows another. */
  followerOf(id: WorldId): WorldId | undefined {
    const { list, unopened } = this.#shared
    for (const { world, storage } of list.values()) if (storage?.identity.follows === id) return world.id
    for (const [world, { identity }] of unopened) if (identity.follows === id) return world
    return undefined
  }

  /** What a world in this process responds to a book transfer. A world that another node may hold does not answer here. */
  async answer(id: WorldId, request: WorldRequest): Promise<BookTransferResponse> {
    await this.#opened
    const { list, names } = this.#shared
    if (!list.has(id) && (this.isNode || names.isTaken(id)))
      throw new NotApplied('worldRestarting', `world ${id} is not open here`)
    return responseOf(list.get(id), request)
  }
}

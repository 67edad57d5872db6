import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import { missing } from '@quipu/core/values'
import { codesOfIds } from '../access/world-code.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../journal/not-applied.ts'
import type { DurableWorld, WorldName } from './durable.ts'
import type { WorldFile } from './file/read.ts'
import { forkParts, forkSource } from './fork.ts'
import type { HoldingParts } from './holding.ts'
import { newDurable } from './opening/new-durable.ts'
import type { PrepareNew } from './opening/open-entry.ts'
import { MAIN } from './opening/open-main.ts'
import type { Origin } from './opening/open-virtual.ts'
import {
  deleteOpen,
  deleteUnopened,
  failedWhileClosed,
  type ReopenParts,
  withoutStore,
} from './opening/reopen.ts'
import { storeOf } from './virtual-store.ts'
import type { Creating, Forking, Loading, WorldEntry } from './world-entry.ts'

/** Creates, forks, loads, resets and deletes worlds. The name of a world is reserved meanwhile. */
export class Lifecycle {
  readonly #shared: HoldingParts
  readonly #reopen: ReopenParts

  constructor(shared: HoldingParts & Pick<ReopenParts, 'isNode'>) {
    this.#shared = shared
    this.#reopen = { ...shared, open: (entry) => shared.opener.again(entry) }
  }

  /** Creates an empty world. Its clock is stopped at `start`, or the wall clock. */
  async create(
    id: WorldId,
    settings: WorldSettings,
    start: Instant,
    creating: Creating = {},
  ): Promise<WorldEntry> {
    const { isWall } = creating
    const name = { world: id, clock: isWall ? ('wall' as const) : undefined, follows: settings.follows }
    return this.#openNew(name, creating, async (durable) => {
      const store = durable?.journal.store(settings) ?? (await storeOf(settings, openMemoryJournal()))
      return { id, start, store, durable, isWall }
    })
  }

  /** Creates a virtual world with the state of another, now or at an earlier instant, and the same history until then. */
  async fork(parent: WorldEntry, id: WorldId, { at, ...creating }: Forking = {}): Promise<WorldEntry> {
    return this.#openNew({ world: id, parent: parent.world.id }, creating, async (durable) => {
      const parts = await forkParts(await forkSource(parent, at), parent, durable)
      return { id, parent: parent.world.id, ...parts }
    })
  }

  /**
   * Creates a virtual world from a file. `prepare` provides the imported data of the file; it runs when the name is
   * reserved. The only credentials of the world are those that `complete` issues.
   */
  async load(
    { settings, journal, now: start }: WorldFile,
    id: WorldId,
    { prepare, ...creating }: Loading,
  ): Promise<WorldEntry> {
    let isPrepared = false
    const opening = this.#openNew({ world: id }, creating, async (durable) => {
      await prepare()
      isPrepared = true
      const loaded = journal.head().seq
      await durable?.journal.fill(journal)
      const store = durable?.journal.store(settings) ?? (await storeOf(settings, journal))
      return { id, start, store, loaded, durable }
    })
    return opening.catch((error) => {
      if (isPrepared) this.#shared.parts.deleted?.(id)
      throw error
    })
  }

  /** Returns a virtual world to its origin; settings, accounts and keys stay. Requests meanwhile are not applied. */
  async reset(entry: WorldEntry & { readonly origin: Origin }): Promise<WorldEntry> {
    const { names, opener } = this.#shared
    const { world } = entry
    const { id } = world
    if (names.isOpening(id) || !world.status.isUp) throw new NotApplied('worldRestarting')
    return names.reserve(id, () =>
      opener.reset(entry).catch((error) => failedWhileClosed(this.#reopen, entry, error)),
    )
  }

  /** Deletes a world, after a reset that is under way. */
  async delete(id: WorldId): Promise<void> {
    const { names, list, unopened: failed, parts } = this.#shared
    while (names.isOpening(id)) await names.untilOpened(id)
    const entry = list.get(id)
    const unopened = failed.get(id)
    if (entry) await names.reserve(id, () => deleteOpen(this.#reopen, entry))
    else if (unopened) await names.reserve(id, () => deleteUnopened(this.#reopen, id, unopened))
    failed.delete(id)
    if (entry ?? unopened) parts.deleted?.(id)
  }

  /** Opens a new world under a reserved name and, if it is durable, with a reserved code. */
  #openNew(name: WorldName, creating: Creating, prepare: PrepareNew): Promise<WorldEntry> {
    const { parts, names, opener, list } = this.#shared
    const { isDurable, partner } = creating
    const refused = parts.codesOfMain ?? (async () => codesOfIds(list.get(MAIN)?.world))
    return names
      .reserve(name.world, async () => {
        if (!isDurable) return opener.new(name.world, undefined, prepare, creating)
        const storage = parts.durable ?? missing('the storage of durable worlds')
        const failed = (durable: DurableWorld) => opener.deleteNew(name.world, durable)
        const durable = await newDurable(storage, { ...name, partner }, refused, failed)
        return opener.new(name.world, durable, prepare, creating)
      })
      .catch(withoutStore)
  }
}

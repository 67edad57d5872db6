import type { WorldId } from '@quipu/core'
import { missing } from '@quipu/core/values'
import type { Addresses } from '../../access/addresses.ts'
import type { KeyUses } from '../../access/key-uses.ts'
import { NotApplied } from '../../journal/not-applied.ts'
import type { World } from '../../world/world.ts'
import { DurableWorld } from '../durable.ts'
import type { DurableRecord } from '../durable-storage.ts'
import type { Followings } from '../following.ts'
import { resetEntry } from '../reset.ts'
import { type Creating, type ListedWorld, MAIN, type WorldEntry } from '../world-entry.ts'
import type { SharedByWorlds } from '../world-list.ts'
import { Held, type HeldLease } from './held.ts'
import { type MainParts, openMain } from './open-main.ts'
import { dropCredentials, isCopy, type NewWorld, type Origin, openVirtual } from './open-virtual.ts'
import { isTakenWorld } from './unfinished.ts'

type MainOnly = { readonly main: MainParts; readonly addresses: Addresses; readonly keyUses: KeyUses }

/** The parts of a new world, whose storage is there if it is durable. */
export type PrepareNew = (durable: DurableWorld | undefined) => Promise<NewWorld>

/** Opens worlds: everything of a world begins here, and the last step is its entry in the list. See `Held`. */
export class WorldOpener {
  readonly #shared: SharedByWorlds
  readonly #main: MainOnly
  /** The journals of worlds whose creation has failed, until nothing of them is stored. */
  readonly #undone = new Set<string>()
  readonly #opening = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(shared: SharedByWorlds, main: MainOnly) {
    this.#shared = shared
    this.#main = main
  }

  async main(): Promise<WorldEntry> {
    const { parts, credentials, list } = this.#shared
    const { main, addresses, keyUses } = this.#main
    const { durable, store } = main
    return this.#begin(MAIN, { release: () => store.released?.() }, async (held) => {
      const world = await openMain(parts, held, main, addresses)
      await keyUses.open(world)
      held.begun(credentials.worlds.add(world))
      return list.add({ world, durable, size: store.size, held })
    })
  }

  /** Opens a durable world of an earlier process. */
  async stored(record: DurableRecord): Promise<WorldEntry> {
    const { parts, credentials } = this.#shared
    // Another node may open it, which then keeps it. This one would delete it with what it has acknowledged.
    if (this.#undone.has(record.journal))
      throw new Error(`the creation of ${record.world} has failed, and is being undone`)
    const storage = DurableWorld.reopen(parts.durable ?? missing('the storage of durable worlds'), record)
    return this.#begin(record.world, { release: () => storage.journal.released() }, (held) =>
      this.#openStored(held, record, storage, (world) => credentials.worlds.add(world)),
    )
  }

  /**
   * Opens a listed world again that was closed, as it is stored now. Returns undefined if it was deleted. The lease of the
   * earlier opening continues, unless a reset has replaced the journal.
   */
  async again({
    world: closed,
    storage: earlier,
    held: before,
  }: ListedWorld): Promise<WorldEntry | undefined> {
    const { parts, credentials } = this.#shared
    const record = await earlier.record()
    if (!record) return undefined
    const storage = DurableWorld.reopen(parts.durable ?? missing('the storage of durable worlds'), record)
    const isSame = earlier.journal.name === record.journal
    let isOpen = false
    const release = async () => {
      if (!isSame) await storage.journal.released()
      else if (isOpen) await before.end()
    }
    const renewed = await this.#begin(record.world, { release }, async (held) => {
      const take = (world: World) => credentials.worlds.replace(closed, world)
      const entry = await this.#openStored(held, record, storage, take)
      isOpen = true
      return entry
    })
    const failed = this.#failed(closed.id)
    if (!isSame) await before.end(() => earlier.journal.delete(failed)).catch(failed)
    return renewed
  }

  async #openStored(
    held: Held,
    record: DurableRecord,
    storage: DurableWorld,
    addCredentials: (world: World) => () => void,
  ): Promise<WorldEntry> {
    const { parts, list } = this.#shared
    const { main } = this.#main
    const { world: id, parent, partner, now: start, origin } = record
    const [store, market] = [storage.journal.store(main.settings), followedMarket(storage, main)]
    const isWall = record.clock === 'wall'
    const wanted = { id, parent, start, store, loaded: origin.loaded, durable: storage, isWall, market }
    const opened = await openVirtual(parts, held, wanted)
    held.begun(addCredentials(opened.world))
    return list.add({ ...opened, durable: true, parent, partner, origin, storage, held })
  }

  /** Opens and completes a new world. If that fails, nothing of it stays stored. */
  async new(
    id: WorldId,
    durable: DurableWorld | undefined,
    prepare: PrepareNew,
    creating: Creating,
  ): Promise<WorldEntry> {
    const undo = async () => {
      if (!durable) return
      this.#undone.add(durable.journal.name)
      await durable.delete(this.#failed(id)).catch((error) => {
        this.deleteNew(id, durable)
        throw error
      })
      this.#undone.delete(durable.journal.name)
    }
    const lease = { release: () => durable?.journal.released(), undo }
    return this.#begin(id, lease, async (held) => this.#complete(held, await prepare(durable), creating))
  }

  /** Deletes later what a failed creation has stored. */
  deleteNew(id: WorldId, durable: DurableWorld): void {
    this.#shared.unfinished.retry(id, async () => {
      await deleteNew(durable, this.#failed(id))
      this.#undone.delete(durable.journal.name)
    })
  }

  /** See `resetEntry`. */
  reset(entry: WorldEntry & { readonly origin: Origin }): Promise<WorldEntry> {
    return resetEntry(this.#shared, entry)
  }

  async #complete(held: Held, wanted: NewWorld, { complete, partner }: Creating): Promise<WorldEntry> {
    const { parts, credentials, followings, list } = this.#shared
    const { start, parent, fork, loaded, durable } = wanted
    const market = followedMarket(durable, this.#main.main)
    const opened = await openVirtual(parts, held, { ...wanted, market })
    const { world } = opened
    if (isCopy(wanted)) await dropCredentials(world, 'copy')
    held.begun(credentials.worlds.add(world))
    await prepareMarket(world, durable, followings)
    await complete?.(world)
    const { seq } = world.view
    await durable?.created({ at: start, seq, loaded })
    const origin = { at: start, seq, fork, loaded }
    return list.add({ ...opened, durable: !!durable, storage: durable, parent, partner, origin, held })
  }

  #begin(
    id: WorldId,
    lease: Omit<HeldLease, 'failed'>,
    open: (held: Held) => Promise<WorldEntry>,
  ): Promise<WorldEntry> {
    const opening = Held.begin({ ...lease, failed: this.#failed(id) }, async (held) => {
      this.#refuseIfClosed(id)
      const entry = await open(held)
      this.#refuseIfClosed(id)
      return entry
    })
    const ended = opening.catch(() => undefined).finally(() => this.#opening.delete(ended))
    this.#opening.add(ended)
    return opening
  }

  /** Nothing is opened any more. Resolves when the worlds that were being opened have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#opening)
  }

  #refuseIfClosed(id: WorldId): void {
    if (this.#isClosed) throw new NotApplied('worldRestarting', `${id} was opened while the process ends`)
  }

  #failed(id: WorldId): (error: unknown) => void {
    return (error) => this.#shared.parts.failed(id, error)
  }
}

/** Deletes what a failed creation has stored, unless another process has taken it: then the world exists. */
async function deleteNew(durable: DurableWorld, failed: (error: unknown) => void): Promise<void> {
  try {
    await durable.delete(failed)
  } catch (error) {
    if (!isTakenWorld(error)) throw error
  } finally {
    await durable.journal.released().catch(() => undefined)
  }
}

/** A world that follows `main` has the prices of the provider, if `main` has them. */
const followedMarket = (durable: DurableWorld | undefined, { market }: MainParts): MainParts['market'] =>
  durable?.identity.follows === MAIN ? market : undefined

/** A following world has the market of the followed one before its first account. A copy of it follows no more. */
async function prepareMarket(
  world: World,
  durable: DurableWorld | undefined,
  followings: Followings,
): Promise<void> {
  if (!world.view.followed) return
  if (durable?.identity.follows === undefined)
    await world.commands.submit({ kind: 'endFollowing' }, () => undefined)
  else await followings.of(world, durable.identity.follows).copy()
}

import type { WorldId } from '@quipu/core'
import type { Addresses } from '../access/addresses.ts'
import type { KeyUses } from '../access/key-uses.ts'
import type { World } from '../world/world.ts'
import { DurableWorld, type WorldRecord } from './durable.ts'
import type { Followings } from './following.ts'
import { Held, type HeldLease } from './held.ts'
import { type MainParts, openMain } from './open-main.ts'
import { dropCredentials, isCopy, type NewWorld, type Origin, openVirtual } from './open-virtual.ts'
import { resetEntry } from './reset.ts'
import { type Creating, MAIN, type WorldEntry } from './world-entry.ts'
import type { SharedByWorlds } from './world-list.ts'

type MainOnly = { readonly main: MainParts; readonly addresses: Addresses; readonly keyUses: KeyUses }

/** The parts of a new world, whose storage is there if it is durable. */
export type PrepareNew = (durable: DurableWorld | undefined) => Promise<NewWorld>

/** Opens worlds: everything of a world begins here, and the last step is its entry in the list. See `Held`. */
export class WorldOpener {
  readonly #shared: SharedByWorlds
  readonly #main: MainOnly

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
      held.begun(credentials.addWorld(world))
      return list.add({ world, durable, size: store.size, held })
    })
  }

  /** Opens a durable world of an earlier process. */
  async stored(record: WorldRecord): Promise<WorldEntry> {
    const { parts, credentials, list } = this.#shared
    const { world: id, parent, partner, now: start, origin } = record
    const storage = DurableWorld.reopen(parts.durable!, record)
    return this.#begin(id, { release: () => storage.released() }, async (held) => {
      const { main } = this.#main
      const [store, market] = [storage.store(main.settings), followedMarket(storage, main)]
      const isWall = record.clock === 'wall'
      const wanted = { id, parent, start, store, loaded: origin.loaded, durable: storage, isWall, market }
      const opened = await openVirtual(parts, held, wanted)
      held.begun(credentials.addWorld(opened.world))
      return list.add({ ...opened, durable: true, parent, partner, origin, storage, held })
    })
  }

  /** Opens and completes a new world. If that fails, nothing of it stays stored. */
  async new(
    id: WorldId,
    durable: DurableWorld | undefined,
    prepare: PrepareNew,
    creating: Creating,
  ): Promise<WorldEntry> {
    const lease = { release: () => durable?.released(), undo: async () => durable?.delete() }
    return this.#begin(id, lease, async (held) => this.#complete(held, await prepare(durable), creating))
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
    held.begun(credentials.addWorld(world))
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
    return Held.begin({ ...lease, failed: (error) => this.#shared.parts.failed(id, error) }, open)
  }
}

/** A world that follows `main` has the prices of the provider, if `main` has them. */
const followedMarket = (durable: DurableWorld | undefined, { market }: MainParts): MainParts['market'] =>
  durable?.follows === MAIN ? market : undefined

/** A following world has the market of the followed one before its first account. A copy of it follows no more. */
async function prepareMarket(
  world: World,
  durable: DurableWorld | undefined,
  followings: Followings,
): Promise<void> {
  if (!world.view.followed) return
  if (durable?.follows === undefined) await world.submit({ kind: 'endFollowing' }, () => undefined)
  else await followings.of(world, durable.follows).copy()
}

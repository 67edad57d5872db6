import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import { type AccessStore, openMemoryAccess } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { ConnectionRevocation } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import type { VirtualClock } from '../clock/virtual.ts'
import { WallClock } from '../clock/wall.ts'
import { AppendFailed, type Journal } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../process/not-applied.ts'
import { World, type WorldParts } from '../world/world.ts'
import type { WorldFile } from './file/read.ts'
import { prepareFork } from './fork.ts'
import { foreignIds, type NewWorld, type Origin, openVirtual, type SharedParts } from './open-virtual.ts'
import { journalAtOrigin } from './reset.ts'
import { storeOf } from './virtual-store.ts'

/** Parts that all worlds of a process share. */
export type WorldsParts = SharedParts & {
  /** Called after a world was deleted. */
  readonly deleted?: (world: WorldId) => void
  readonly worldsMax: number
}

/** The storage of `main`: journal, views, snapshots, and the access store. */
export type MainStore = Pick<WorldParts, 'openJournal' | 'openViews' | 'snapshot'> & {
  /** In memory by default. */
  readonly access?: AccessStore
}

export type WorldEntry = {
  readonly world: World
  /** Absent for `main`, which runs on the wall clock. */
  readonly clock?: VirtualClock
  readonly durable: boolean
  readonly parent?: WorldId | undefined
  /** Absent for `main`, which cannot be reset. */
  readonly origin?: Origin
  readonly unregister: () => void
}

/** Completes a new world before it is listed, such as with accounts and keys. */
export type Complete = (world: World) => Promise<void>

export const MAIN = 'main' as WorldId

/** All worlds of the process. `main` always exists. */
export class Worlds {
  readonly credentials = new Credentials()
  /** Closes connections whose credential has ended. */
  readonly connections = new ConnectionRevocation((caller, nowMs) => this.credentials.isValid(caller, nowMs))
  /** Client addresses of requests that caused events, in all worlds. */
  readonly addresses: Addresses
  readonly #access: AccessStore
  #keyUses: KeyUses | undefined
  readonly #parts: WorldsParts
  readonly #entries = new Map<WorldId, WorldEntry>()
  #made = 0
  readonly #opening = new Set<WorldId>()

  private constructor(parts: WorldsParts, access: AccessStore) {
    this.#parts = parts
    this.#access = access
    this.addresses = new Addresses(access)
  }

  static async openServer(
    parts: WorldsParts,
    main: {
      readonly settings: WorldSettings
      readonly store: MainStore
      readonly durable: boolean
      /** The market of `main` if it differs from that of the other worlds, including forks of `main`. */
      readonly market?: WorldParts['market'] | undefined
    },
  ): Promise<Worlds> {
    const { access = openMemoryAccess(), ...store } = main.store
    const worlds = new Worlds(parts, access)
    const clock = new WallClock((error) => parts.failed(MAIN, error))
    const world = await World.open({
      ...parts,
      ...store,
      // The other worlds end with the process, so they need not wait for the disk.
      prepared: () => worlds.addresses.stored()?.catch(addressNotStored),
      market: main.market ?? ((settings, state) => parts.market(settings, state, MAIN)),
      id: MAIN,
      settings: main.settings,
      clock,
      failed: (error) => parts.failed(MAIN, error),
    })
    worlds.#keyUses = await KeyUses.open(access, world)
    const unregister = worlds.credentials.addWorld(world)
    worlds.#entries.set(MAIN, { world, durable: main.durable, unregister })
    return worlds
  }

  /** When each key was last used, in all worlds. */
  get keyUses(): KeyUses {
    return this.#keyUses!
  }

  get main(): World {
    return this.#entries.get(MAIN)!.world
  }

  get(id: string): World | undefined {
    return this.#entries.get(id as WorldId)?.world
  }

  all(): readonly World[] {
    return this.entries().map(({ world }) => world)
  }

  entry(id: string): WorldEntry | undefined {
    return this.#entries.get(id as WorldId)
  }

  entries(): readonly WorldEntry[] {
    return [...this.#entries.values()]
  }

  /** The maximum number of worlds, including `main`. */
  get worldsMax(): number {
    return this.#parts.worldsMax
  }

  get isFull(): boolean {
    return this.#entries.size + this.#opening.size >= this.worldsMax
  }

  /** Whether a world has this name, or is being opened under it. */
  isTaken(id: string): boolean {
    return this.#entries.has(id as WorldId) || this.#opening.has(id as WorldId)
  }

  /** An unused name. The same calls in the same order give the same names. */
  unusedName(): WorldId {
    do this.#made += 1
    while (this.isTaken(`world-${this.#made}`))
    return `world-${this.#made}` as WorldId
  }

  /** Creates an empty virtual world. Its clock is stopped at `start`. */
  async create(
    id: WorldId,
    settings: WorldSettings,
    start: Instant,
    complete?: Complete,
  ): Promise<WorldEntry> {
    return this.#withReservedName(id, async () => {
      const store = await storeOf(settings, openMemoryJournal())
      return this.#add({ id, start, store, complete })
    })
  }

  /** Creates a virtual world with the current state of another, and the same history up to now. */
  async fork({ world, durable }: WorldEntry, id: WorldId, complete?: Complete): Promise<WorldEntry> {
    return this.#withReservedName(id, async () => {
      const { now, fork, ...store } = await prepareFork(world, durable)
      return this.#add({ id, start: now, store, parent: world.id, fork, complete })
    })
  }

  /**
   * Creates a virtual world from a file. `prepare` provides the imported data of the file; it runs when the name is
   * reserved. The only credentials of the world are those that `complete` issues.
   */
  async load(
    { settings, journal, now }: WorldFile,
    id: WorldId,
    prepare: () => Promise<void>,
    complete: Complete,
  ): Promise<WorldEntry> {
    return this.#withReservedName(id, async () => {
      await prepare()
      const store = await storeOf(settings, journal)
      const loaded = journal.head().seq
      return this.#add({ id, start: now, store, loaded, complete }).catch((error) => {
        this.#parts.deleted?.(id)
        throw error
      })
    })
  }

  /**
   * Returns a virtual world to its origin. Settings, accounts and keys stay, also those that were added later. Streams
   * are closed, and requests that arrive meanwhile are not applied. Returns undefined if the world was deleted meanwhile.
   */
  async reset(entry: WorldEntry & { readonly origin: Origin }): Promise<WorldEntry | undefined> {
    const { world, origin, parent } = entry
    const { id } = world
    if (this.#opening.has(id) || !world.isUp) throw new NotApplied('worldRestarting')
    return this.#withReservedName(id, async () => {
      const { settings } = world.view
      let journal: Journal | undefined
      await world.close(async (old) => {
        journal = await journalAtOrigin(old, origin)
      })
      if (!journal) throw new NotApplied('worldRestarting')
      const store = await storeOf(settings!, journal, origin.fork)
      const opened = await openVirtual(this.#parts, {
        id,
        start: origin.at,
        store,
        parent,
        loaded: origin.loaded,
      })
      if (this.#entries.get(id)?.world !== world) {
        await opened.world.close()
        return undefined
      }
      const unregister = this.credentials.replaceWorld(world, opened.world)
      const renewed = { ...entry, ...opened, unregister }
      this.#entries.set(id, renewed)
      return renewed
    })
  }

  async delete(id: WorldId): Promise<void> {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    entry.unregister()
    await entry.world.close()
    this.#parts.deleted?.(id)
  }

  async close(): Promise<void> {
    this.connections.close()
    await this.#keyUses?.close().catch((error) => this.#parts.failed(MAIN, error))
    for (const { world, unregister } of this.#entries.values()) {
      unregister()
      await world.close()
    }
    this.#entries.clear()
    await this.addresses.close().catch((error) => this.#parts.failed(MAIN, error))
    await this.#access.close()
  }

  /** Reserves the name until the world is open. */
  async #withReservedName<Entry>(id: WorldId, open: () => Promise<Entry>): Promise<Entry> {
    this.#opening.add(id)
    try {
      return await open()
    } finally {
      this.#opening.delete(id)
    }
  }

  async #add(wanted: NewWorld & { readonly complete?: Complete | undefined }): Promise<WorldEntry> {
    const { id, start, parent, fork, loaded, complete } = wanted
    const opened = await openVirtual(this.#parts, wanted)
    const { world } = opened
    const unregister = this.credentials.addWorld(world, await foreignIds(world.journal, loaded))
    try {
      await complete?.(world)
    } catch (error) {
      unregister()
      await world.close()
      throw error
    }
    const origin = { at: start, seq: world.view.seq, fork, loaded }
    const entry = { ...opened, durable: false, parent, origin, unregister }
    this.#entries.set(id, entry)
    return entry
  }
}

function addressNotStored(cause: unknown): never {
  throw new AppendFailed(true, 'the client address could not be stored', cause)
}

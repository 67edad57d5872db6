import type { BookTransferAnswer, Instant, WorldId, WorldSettings } from '@quipu/core'
import { type AccessStore, openMemoryAccess } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { ConnectionRevocation } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import { MainPeople } from '../access/main-people.ts'
import { codesOfIds } from '../access/world-code.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../journal/not-applied.ts'
import type { World } from '../world/world.ts'
import { answerOf } from './answer-world.ts'
import type { WithAsk, WorldRequest } from './ask-world.ts'
import { WorldChanges } from './changes.ts'
import { DurableWorld, type WorldName, type WorldRecord } from './durable.ts'
import type { WorldFile } from './file/read.ts'
import { Followings } from './following.ts'
import { forkParts, forkSource } from './fork.ts'
import { newDurable } from './new-durable.ts'
import { type PrepareNew, WorldOpener } from './open-entry.ts'
import { MAIN, type MainParts } from './open-main.ts'
import type { Origin } from './open-virtual.ts'
import { deleteOpen, deleteUnopened, failedWhileClosed, type ReopenParts, withoutStore } from './reopen.ts'
import { Unfinished } from './unfinished.ts'
import { storeOf } from './virtual-store.ts'
import type { Creating, Forking, Loading, Successor, WorldEntry, WorldsParts } from './world-entry.ts'
import { WorldList } from './world-list.ts'
import { WorldNames } from './world-names.ts'

export { MAIN } from './open-main.ts'
export type { MainStore, WorldEntry, WorldsParts } from './world-entry.ts'

/** All worlds of the process. `main` is one of them, except on a node of a cluster that does not hold it. */
export class Worlds {
  readonly #people = new MainPeople({ main: () => this.get(MAIN), ask: () => this.#parts.askPeople })
  readonly credentials = new Credentials(this.#people)
  /** Closes connections whose credential has ended. */
  readonly connections = new ConnectionRevocation((caller, nowMs) => this.credentials.isValid(caller, nowMs))
  /** Client addresses of requests that caused events, in all worlds. */
  readonly addresses: Addresses
  readonly #access: AccessStore
  /** When each key was last used, in all worlds. */
  readonly keyUses: KeyUses
  readonly #parts: WorldsParts & WithAsk
  readonly #opener: WorldOpener
  readonly #reopen: ReopenParts
  readonly #main: MainParts
  /** Changes of the list of worlds and of their clocks. */
  readonly changes = new WorldChanges()
  readonly #followings = new Followings(this, () => this.#parts)
  readonly #entries = new WorldList(this.changes, this.#followings)
  readonly #names = new WorldNames((id) => this.has(id) || this.#parts.isStored?.(id) === true)
  /** Durable worlds that could not be opened. */
  readonly #unopened = new Map<WorldId, DurableWorld>()
  /** The end of the start. Absent on a node of a cluster: another node may hold worlds that are not in this list. */
  #opened: Promise<void> | undefined

  /** Without open worlds: a node of a cluster opens a world when it claims it. */
  constructor(parts: WorldsParts, main: MainParts) {
    this.#parts = { askWorld: (world, request) => this.answer(world, request), ...parts }
    this.#main = main
    this.#access = main.store.access ?? openMemoryAccess()
    this.addresses = new Addresses(this.#access)
    this.keyUses = new KeyUses(this.#access)
    const { credentials, addresses, keyUses } = this
    const [followings, list, unfinished] = [this.#followings, this.#entries, new Unfinished(parts.failed)]
    const shared = { parts: this.#parts, credentials, followings, list, unfinished }
    this.#opener = new WorldOpener(shared, { main, addresses, keyUses })
    const open = this.#opener.again.bind(this.#opener)
    this.#reopen = { ...shared, names: this.#names, open, isNode: () => this.#opened === undefined }
  }

  /** Opens `main` and the durable worlds of these records. */
  static async openServer(
    parts: WorldsParts,
    { records = [], ...main }: MainParts & { readonly records?: readonly WorldRecord[] },
  ): Promise<Worlds> {
    const worlds = new Worlds(parts, main)
    const { promise, resolve } = Promise.withResolvers<void>()
    worlds.#opened = promise
    await worlds.openMain()
    for (const record of records)
      await worlds.openDurable(record).catch((error) => {
        worlds.#unopened.set(record.world, DurableWorld.reopen(parts.durable!, record))
        parts.failed(record.world, error)
      })
    resolve()
    return worlds
  }

  async openMain(): Promise<World> {
    return (await this.#opener.main()).world
  }

  /** Opens a durable world of an earlier process. */
  async openDurable(record: WorldRecord): Promise<World> {
    return (await this.#opener.stored(record)).world
  }

  /** Closes a world that another node may continue: a certain one, or any. Its streams continue there. */
  async release(id: WorldId, to?: Successor): Promise<void> {
    const entry = this.#entries.get(id)
    this.#entries.release(id)
    if (to) (id === MAIN ? this.#main.store : entry?.storage)?.handOver?.(to)
    if (!entry) return
    entry.world.ending = 'released'
    await this.#close(entry)
  }

  /** A stored world that another process may hold. */
  async stored(id: WorldId) {
    return this.#parts.durable?.stored?.(id)
  }

  /** A durable world of this process that follows another. */
  followerOf(id: WorldId): WorldId | undefined {
    for (const { world, storage } of this.#entries.values()) if (storage?.follows === id) return world.id
    for (const [world, { follows }] of this.#unopened) if (follows === id) return world
    return undefined
  }

  /** Requests for `main` are not applied while another node of a cluster holds it. */
  get main(): World {
    const main = this.get(MAIN)
    if (!main) throw new NotApplied('worldRestarting')
    return main
  }

  /** Whether a world has this name, also one that could not be opened. */
  has(id: string): boolean {
    return this.#entries.has(id as WorldId) || this.#unopened.has(id as WorldId)
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
    return this.#entries.size + this.#names.openingCount >= this.worldsMax
  }

  /** The maximum number of durable worlds besides `main`; undefined if this server keeps nothing. */
  get durableWorldsMax(): number | undefined {
    return this.#parts.durable && this.#parts.durableWorldsMax
  }

  /** The number of durable worlds, also of those at other nodes. */
  async durableCount(): Promise<number> {
    return (await this.#parts.durable?.usedCodes())?.size ?? 0
  }

  /** Whether a world has this name, or is being opened under it. */
  isTaken(id: string): boolean {
    return this.#names.isTaken(id as WorldId)
  }

  /** Whether a world has this name, also one that another node may hold. */
  mayExist(id: string): boolean {
    return this.#opened === undefined || this.isTaken(id)
  }

  /** An unused name. The same calls in the same order give the same names. */
  unusedName(): WorldId {
    return this.#names.unused()
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
      const store = durable?.store(settings) ?? (await storeOf(settings, openMemoryJournal()))
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
      await durable?.fill(journal)
      const store = durable?.store(settings) ?? (await storeOf(settings, journal))
      return { id, start, store, loaded, durable }
    })
    return opening.catch((error) => {
      if (isPrepared) this.#parts.deleted?.(id)
      throw error
    })
  }

  /** Returns a virtual world to its origin; settings, accounts and keys stay. Requests meanwhile are not applied. */
  async reset(entry: WorldEntry & { readonly origin: Origin }): Promise<WorldEntry> {
    const { world } = entry
    const { id } = world
    if (this.#names.isOpening(id) || !world.isUp) throw new NotApplied('worldRestarting')
    return this.#names.reserve(id, () =>
      this.#opener.reset(entry).catch((error) => failedWhileClosed(this.#reopen, entry, error)),
    )
  }

  /** Deletes a world, after a reset that is under way. */
  async delete(id: WorldId): Promise<void> {
    while (this.#names.isOpening(id)) await this.#names.untilOpened(id)
    const entry = this.#entries.get(id)
    const unopened = this.#unopened.get(id)
    if (entry) await this.#names.reserve(id, () => deleteOpen(this.#reopen, entry))
    else if (unopened) await this.#names.reserve(id, () => deleteUnopened(this.#reopen, id, unopened))
    this.#unopened.delete(id)
    if (entry ?? unopened) this.#parts.deleted?.(id)
  }

  /** Whether a world is being created, reset or deleted. */
  isChanged(id: WorldId): boolean {
    return this.#names.isOpening(id)
  }

  /** The answer of a world of this process to a book transfer. A world that another node may hold does not answer here. */
  async answer(id: WorldId, request: WorldRequest): Promise<BookTransferAnswer> {
    await this.#opened
    if (!this.entry(id) && this.mayExist(id))
      throw new NotApplied('worldRestarting', `world ${id} is not open here`)
    return answerOf(this.entry(id), request)
  }

  async close(): Promise<void> {
    this.connections.close()
    const opened = this.#opener.close()
    await this.#reopen.unfinished.close()
    for (const id of this.#entries.keys()) this.#followings.stop(id)
    await this.keyUses.close().catch((error) => this.#parts.failed(MAIN, error))
    for (const entry of this.#entries.values()) await this.#close(entry)
    await opened
    this.#entries.clear()
    await this.addresses.close().catch((error) => this.#parts.failed(MAIN, error))
    await this.#access.close()
  }

  /** Opens a new world under a reserved name and, if it is durable, with a reserved code. */
  #openNew(name: WorldName, creating: Creating, prepare: PrepareNew): Promise<WorldEntry> {
    const { isDurable, partner } = creating
    const refused = this.#parts.codesOfMain ?? (async () => codesOfIds(this.get(MAIN)))
    return this.#names
      .reserve(name.world, async () => {
        const storage = this.#parts.durable!
        const failed = (durable: DurableWorld) => this.#opener.deleteNew(name.world, durable)
        const durable = isDurable
          ? await newDurable(storage, { ...name, partner }, refused, failed)
          : undefined
        return this.#opener.new(name.world, durable, prepare, creating)
      })
      .catch(withoutStore)
  }

  async #close({ world, clock, held }: WorldEntry): Promise<void> {
    await clock?.freeze().catch((error) => this.#parts.failed(world.id, error))
    await held.end()
  }
}

import { type Instant, type Job, linkKey, type WorldId, type WorldSettings } from '@quipu/core'
import { type AccessStore, openMemoryAccess } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { ConnectionRevocation } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import { VirtualClock } from '../clock/virtual.ts'
import { WallClock } from '../clock/wall.ts'
import { AppendFailed } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../process/not-applied.ts'
import { openMemoryViews } from '../views/memory.ts'
import type { RunJob } from '../world/jobs.ts'
import { World, type WorldParts } from '../world/world.ts'
import { prepareFork } from './fork.ts'

/** Parts that all worlds of a process share. */
export type WorldsParts = Pick<
  WorldParts,
  'runJob' | 'queueMax' | 'viewsLagMax' | 'viewsWaitMs' | 'outcomes'
> & {
  readonly market: (
    ...args: [...Parameters<WorldParts['market']>, world: WorldId]
  ) => ReturnType<WorldParts['market']>
  /** Called after a world was deleted. */
  readonly deleted?: (world: WorldId) => void
  readonly worldsMax: number
  readonly failed: (world: WorldId, error: unknown) => void
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
  readonly unregister: () => void
}

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
    worlds.#register({ world, durable: main.durable })
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
  async create(id: WorldId, settings: WorldSettings, start: Instant): Promise<WorldEntry> {
    return this.#withReservedName(id, () =>
      this.#openVirtual(id, start, {
        settings,
        openJournal: async () => openMemoryJournal(),
        openViews: openMemoryViews,
        snapshot: async () => undefined,
      }),
    )
  }

  /** Creates a virtual world with the current state of another, and the same history up to now. */
  async fork({ world, durable }: WorldEntry, id: WorldId): Promise<WorldEntry> {
    return this.#withReservedName(id, async () => {
      const { settings, now, journal, state, openViews } = await prepareFork(world, durable)
      const store = { openJournal: async () => journal, openViews, snapshot: async () => state }
      return this.#openVirtual(id, now, { settings, ...store }, world.id)
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
  async #withReservedName(id: WorldId, open: () => Promise<WorldEntry>): Promise<WorldEntry> {
    this.#opening.add(id)
    try {
      return await open()
    } finally {
      this.#opening.delete(id)
    }
  }

  async #openVirtual(
    id: WorldId,
    start: Instant,
    store: Pick<WorldParts, 'settings' | 'openJournal' | 'openViews' | 'snapshot'>,
    parent?: WorldId,
  ): Promise<WorldEntry> {
    const failed = (error: unknown) => this.#parts.failed(id, error)
    let opened: World | undefined
    const clock = new VirtualClock(start, async () => opened?.quiet(), failed)
    opened = await World.open({
      ...this.#parts,
      ...store,
      market: (settings, state) => this.#parts.market(settings, state, id),
      runJob: parent ? withoutExternalCalls(this.#parts.runJob) : this.#parts.runJob,
      id,
      clock,
      failed,
    })
    return this.#register({ world: opened, clock, durable: false, parent })
  }

  #register(entry: Omit<WorldEntry, 'unregister'>): WorldEntry {
    const registered = { ...entry, unregister: this.credentials.addWorld(entry.world) }
    this.#entries.set(entry.world.id, registered)
    return registered
  }
}

function addressNotStored(cause: unknown): never {
  throw new AppendFailed(true, 'the client address could not be stored', cause)
}

/**
 * Runs the jobs of a fork. A call to an external issuer belongs to the parent, so the fork puts the request on hold
 * instead; the operator can complete it. All other jobs run as usual.
 */
export const withoutExternalCalls =
  (run: RunJob): RunJob =>
  async (world, jobId) => {
    const job = world.view.jobs.get(jobId)
    if (!job || !isExternal(world, job)) return run(world, jobId)
    try {
      holdInstead(world, job)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }

function isExternal({ view }: World, { requestId, issuer }: Job): boolean {
  const code = issuer ?? (requestId && view.requests.get(requestId)?.issuer)
  return code !== undefined && view.issuers.get(code)?.mode === 'external'
}

function holdInstead(world: World, { kind, requestId, accountId, issuer }: Job): void {
  // The request has ended, so there is nothing to hold.
  if (requestId && kind === 'issuerReject') world.submitInternal({ kind: 'answerRejection', requestId })
  else if (requestId) world.submitInternal({ kind: 'forceRequest', requestId, outcome: { to: 'hold' } })
  else if (issuer && world.view.links.has(linkKey(accountId, issuer)))
    world.submitInternal({
      kind: 'answerLink',
      accountId,
      issuer,
      answer: { ok: false, reason: 'a fork does not call external issuers' },
    })
}

import type { WorldId } from '@quipu/core'
import { type AccessStore, openMemoryAccess } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { ConnectionRevocation } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import { MainPeople } from '../access/main-people.ts'
import { NotApplied } from '../journal/not-applied.ts'
import type { World } from '../world/world.ts'
import type { WithAsk } from './ask-world.ts'
import { WorldChanges } from './changes.ts'
import type { DurableWorld } from './durable.ts'
import type { DurableRecord } from './durable-storage.ts'
import { Followings } from './following.ts'
import { Holding } from './holding.ts'
import { Lifecycle } from './lifecycle.ts'
import { WorldOpener } from './opening/open-entry.ts'
import { MAIN, type MainParts } from './opening/open-main.ts'
import { Unfinished } from './opening/unfinished.ts'
import type { WorldEntry, WorldsParts } from './world-entry.ts'
import { WorldList } from './world-list.ts'
import { WorldNames } from './world-names.ts'

export { MAIN } from './opening/open-main.ts'
export type { MainStore, WorldEntry, WorldsParts } from './world-entry.ts'

/** All worlds of the process. `main` is one of them, except on a node of a cluster that does not hold it. */
export class Worlds {
  /** Who may use the worlds: credentials, connections and client addresses. */
  readonly access: WorldsAccess
  /** Changes to the list of worlds and to their clocks. */
  readonly changes = new WorldChanges()
  readonly names: WorldNames
  readonly capacity: Capacity
  /** Creates, forks, loads, resets and deletes worlds. */
  readonly lifecycle: Lifecycle
  /** Opens stored worlds, and closes those that another node takes. */
  readonly holding: Holding
  readonly #list: WorldList
  readonly #opener: WorldOpener
  readonly #followings: Followings
  readonly #unfinished: Unfinished
  readonly #failed: WorldsParts['failed']

  /** Without open worlds: a node of a cluster opens a world when it claims it. */
  constructor(given: WorldsParts, main: MainParts) {
    const parts: WorldsParts & WithAsk = {
      askWorld: (world, request) => this.holding.answer(world, request),
      ...given,
    }
    this.#failed = parts.failed
    this.access = new WorldsAccess(main.store.access ?? openMemoryAccess(), {
      main: () => this.get(MAIN),
      ask: () => parts.askPeople,
    })
    const followed = {
      get: (id: WorldId) => this.get(id),
      stored: (id: WorldId) => this.holding.stored(id),
    }
    this.#followings = new Followings(followed, () => parts)
    this.#list = new WorldList(this.changes, this.#followings)
    this.#unfinished = new Unfinished(parts.failed)
    const unopened = new Map<WorldId, DurableWorld>()
    this.names = new WorldNames(
      (id) => this.#list.has(id) || unopened.has(id),
      (id) => parts.isStored?.(id) === true,
    )
    const { access, names } = this
    const { credentials, addresses, keyUses } = access
    const shared = {
      parts,
      credentials,
      followings: this.#followings,
      list: this.#list,
      unfinished: this.#unfinished,
    }
    this.#opener = new WorldOpener(shared, { main, addresses, keyUses })
    const opened = { ...shared, main, names, unopened, opener: this.#opener }
    this.capacity = new Capacity(parts, this.#list, names)
    this.holding = new Holding(opened)
    this.lifecycle = new Lifecycle({ ...opened, isNode: () => this.holding.isNode })
  }

  /** Requests for `main` are not applied while another node of a cluster holds it. */
  get main(): World {
    const main = this.get(MAIN)
    if (!main) throw new NotApplied('worldRestarting')
    return main
  }

  get(id: string): World | undefined {
    return this.entry(id)?.world
  }

  entry(id: string): WorldEntry | undefined {
    return this.#list.get(id as WorldId)
  }

  entries(): readonly WorldEntry[] {
    return [...this.#list.values()]
  }

  all(): readonly World[] {
    return this.entries().map(({ world }) => world)
  }

  async close(): Promise<void> {
    this.access.connections.close()
    const opened = this.#opener.close()
    await this.#unfinished.close()
    for (const id of this.#list.keys()) this.#followings.stop(id)
    await this.access.keyUses.close().catch((error) => this.#failed(MAIN, error))
    for (const entry of this.#list.values()) await this.holding.close(entry)
    await opened
    this.#list.clear()
    await this.access.close((error) => this.#failed(MAIN, error))
  }
}

/** Opens `main` and the durable worlds of these records. */
export async function openServer(
  parts: WorldsParts,
  { records = [], ...main }: MainParts & { readonly records?: readonly DurableRecord[] },
): Promise<Worlds> {
  const worlds = new Worlds(parts, main)
  await worlds.holding.openAll(records)
  return worlds
}

/** How many worlds there may be. */
class Capacity {
  readonly #parts: Pick<WorldsParts, 'worldsMax' | 'durable' | 'durableWorldsMax'>
  readonly #list: WorldList
  readonly #names: WorldNames

  constructor(
    parts: Pick<WorldsParts, 'worldsMax' | 'durable' | 'durableWorldsMax'>,
    list: WorldList,
    names: WorldNames,
  ) {
    this.#parts = parts
    this.#list = list
    this.#names = names
  }

  /** The maximum number of worlds, including `main`. */
  get max(): number {
    return this.#parts.worldsMax
  }

  get isFull(): boolean {
    return this.#list.size + this.#names.openingCount >= this.max
  }

  /** The maximum number of durable worlds besides `main`; undefined if this server keeps nothing. */
  get durableMax(): number | undefined {
    return this.#parts.durable && this.#parts.durableWorldsMax
  }

  /** The number of durable worlds, also of those at other nodes. */
  async durableCount(): Promise<number> {
    return (await this.#parts.durable?.usedCodes())?.size ?? 0
  }
}

/** Who may use the worlds of the process, and who has. */
class WorldsAccess {
  readonly credentials: Credentials
  /** Closes connections whose credential has ended. */
  readonly connections: ConnectionRevocation
  /** Client addresses of requests that caused events, in all worlds. */
  readonly addresses: Addresses
  /** When each key was last used, in all worlds. */
  readonly keyUses: KeyUses
  readonly #store: AccessStore

  constructor(store: AccessStore, people: ConstructorParameters<typeof MainPeople>[0]) {
    this.#store = store
    this.credentials = new Credentials(new MainPeople(people))
    this.connections = new ConnectionRevocation((caller, nowMs) => this.credentials.isValid(caller, nowMs))
    this.addresses = new Addresses(store)
    this.keyUses = new KeyUses(store)
  }

  /** The last step, when no world is open. */
  async close(failed: (error: unknown) => void): Promise<void> {
    await this.addresses.close().catch(failed)
    await this.#store.close()
  }
}

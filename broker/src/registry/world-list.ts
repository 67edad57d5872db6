import type { BrokerEvent, WorldId } from '@quipu/core'
import type { Credentials } from '../access/credentials.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { watchFaults } from '../world/world-faults.ts'
import type { WithAsk } from './ask-world.ts'
import type { WorldChanges } from './changes.ts'
import type { Followings } from './following.ts'
import type { Unfinished } from './opening/unfinished.ts'
import type { WorldEntry, WorldsParts } from './world-entry.ts'

/** What all worlds of a process share. */
export type SharedByWorlds = {
  readonly parts: WorldsParts & WithAsk
  readonly credentials: Credentials
  readonly followings: Followings
  readonly list: WorldList
  readonly unfinished: Unfinished
}

/** Events that change the list of worlds. */
const OF_WORLD: ReadonlySet<BrokerEvent['kind']> = new Set([
  'accountOpened',
  'accountAssigned',
  'accountClosed',
  'accountUpdated',
  'accountBlocked',
  'accountUnblocked',
  'userChanged',
  'marketEventAdded',
  'marketEventRemoved',
  'actionScheduled',
  'actionCanceled',
  'worldDescribed',
])

/** The worlds by name, in the order of their creation. It publishes its changes, and those of clocks, accounts, market events, corporate actions and fault rules. */
export class WorldList extends Map<WorldId, WorldEntry> {
  readonly #changes: WorldChanges
  readonly #followings: Followings

  constructor(changes: WorldChanges, followings: Followings) {
    super()
    this.#changes = changes
    this.#followings = followings
  }

  /** The last step of opening a world: from now on it answers. */
  add(entry: WorldEntry): WorldEntry {
    const { id, status } = entry.world
    if (status.isOver) throw new NotApplied('worldRestarting')
    entry.held.begun(() => this.get(id) === entry && this.release(id))
    this.set(id, entry)
    return entry
  }

  override set(world: WorldId, entry: WorldEntry): this {
    super.set(world, entry)
    this.#followings.start(entry.world, entry.storage?.identity.follows)
    // One object, because a moving clock changes often.
    const change = { kind: 'clock', world } as const
    entry.clock?.watch(() => this.#changes.publish(change))
    entry.world.publisher.listen((committed) => {
      if (committed.some(({ event }) => OF_WORLD.has(event.kind)))
        this.#changes.publish({ kind: 'world', world })
    })
    watchFaults(entry.world, () => this.#changes.publish({ kind: 'faults', world }))
    this.#changes.publish({ kind: 'world', world })
    return this
  }

  override delete(world: WorldId): boolean {
    return this.#remove(world, 'deleted')
  }

  /** Another node takes the world over. */
  release(world: WorldId): void {
    this.#remove(world, 'released')
  }

  #remove(world: WorldId, kind: 'deleted' | 'released'): boolean {
    const isListed = super.delete(world)
    this.#followings.stop(world)
    if (isListed) this.#changes.publish({ kind, world })
    return isListed
  }
}

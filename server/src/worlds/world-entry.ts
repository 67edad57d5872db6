import type { Instant, WorldId } from '@quipu/core'
import type { AccessStore } from '../access/access-store.ts'
import type { VirtualClock } from '../clock/virtual.ts'
import type { World, WorldParts } from '../world/world.ts'
import type { DurableStorage, DurableWorld } from './durable.ts'
import type { Origin, SharedParts } from './open-virtual.ts'
import type { StoreSize } from './store-size.ts'

/** Parts that all worlds of a process share. */
export type WorldsParts = SharedParts & {
  /** Called after a world was deleted. */
  readonly deleted?: (world: WorldId) => void
  readonly worldsMax: number
  /** Absent if this server keeps nothing. */
  readonly durable?: DurableStorage | undefined
  readonly durableWorldsMax?: number | undefined
}

/** The storage of `main`: journal, views, snapshots, and the access store. */
export type MainStore = Pick<WorldParts, 'openJournal' | 'openViews' | 'snapshot'> & {
  /** In memory by default. */
  readonly access?: AccessStore
  /** Absent if nothing is stored. */
  readonly size?: (() => Promise<StoreSize>) | undefined
  /** The world was closed, and another node may take it from now on. */
  readonly released?: () => Promise<void>
}

export type WorldEntry = {
  readonly world: World
  /** Absent for `main`, which runs on the wall clock. */
  readonly clock?: VirtualClock
  readonly durable: boolean
  readonly parent?: WorldId | undefined
  /** Absent for `main`, which cannot be reset. */
  readonly origin?: Origin
  /** Its storage, if it is durable and not `main`. */
  readonly storage?: DurableWorld | undefined
  /** Only `main`, if it is stored. */
  readonly size?: (() => Promise<StoreSize>) | undefined
  readonly unregister: () => void
}

export type Forking = {
  /** A past instant of the parent. Default: now. */
  readonly at?: Instant | undefined
  readonly complete?: Complete
  readonly isDurable?: boolean
}

export type Loading = {
  readonly prepare: () => Promise<void>
  readonly complete: Complete
  readonly isDurable?: boolean
}

/** Completes a new world before it is listed, such as with accounts and keys. */
export type Complete = (world: World) => Promise<void>

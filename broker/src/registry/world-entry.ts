import type { Instant, PartnerId, WorldId } from '@quipu/core'
import type { AccessStore } from '../access/access-store.ts'
import type { AskPeople } from '../access/main-people.ts'
import type { VirtualClock } from '../clock/virtual.ts'
import type { World, WorldParts } from '../world/world.ts'
import type { AskWorld } from './ask-world.ts'
import type { DurableWorld, Keeping } from './durable.ts'
import type { DurableStorage, Movable } from './durable-storage.ts'
import type { CheckData } from './following.ts'
import type { Held } from './opening/held.ts'
import type { Origin, SharedParts } from './opening/open-virtual.ts'
import type { StoreSize } from './store-size.ts'
import type { WithRefusals } from './virtual-store.ts'

export type { Successor } from '../journal/journal.ts'
export const MAIN = 'main' as WorldId

/** Parts that all worlds of a process share. */
export type WorldsParts = SharedParts & {
  /** Fails if this server does not have imported data that a world will use. Default: no check. */
  readonly checkData?: CheckData
  /** Called after a world was deleted. */
  readonly deleted?: (world: WorldId) => void
  readonly worldsMax: number
  /** Absent if this server keeps nothing. */
  readonly durable?: DurableStorage | undefined
  readonly durableWorldsMax?: number | undefined
  /** Whether a world of this name is stored, which another node may hold. Default: this process has all worlds. */
  readonly isStored?: (world: string) => boolean
  /** The codes in the ids of `main`, which another node may hold. Default: `main` is a world of this process. */
  readonly codesOfMain?: () => Promise<ReadonlySet<string>>
  /** Asks the node that holds `main` about its people. Default: `main` is a world of this process. */
  readonly askPeople?: AskPeople
  /** Default: only worlds of this process are asked. */
  readonly askWorld?: AskWorld
}

/** The storage of `main`: journal, query tables, snapshots, and the access store. */
export type MainStore = Pick<WorldParts, 'openJournal' | 'openQueryTables' | 'snapshot'> &
  WithRefusals &
  Movable & {
    /** In memory by default. */
    readonly access?: AccessStore
    /** Absent if nothing is stored. */
    readonly size?: (() => Promise<StoreSize>) | undefined
    /** The world was closed, and another node may take it from now on. */
    readonly released?: () => Promise<void>
  }

export type WorldEntry = {
  readonly world: World
  /** Absent for `main` and for other worlds on the wall clock. */
  readonly clock?: VirtualClock
  readonly durable: boolean
  readonly parent?: WorldId | undefined
  /** The partner of `main` that the world belongs to. Absent for `main`. */
  readonly partner?: PartnerId | undefined
  /** Absent for `main`, which cannot be reset. */
  readonly origin?: Origin
  /** Its storage, if it is durable and not `main`. */
  readonly storage?: DurableWorld | undefined
  /** Only `main`, if it is stored. */
  readonly size?: (() => Promise<StoreSize>) | undefined
  /** Everything that ends with the world in this process. */
  readonly held: Held
}

/** A durable world in the list. */
export type ListedWorld = WorldEntry & { readonly storage: DurableWorld }

/** Options of a new world. */
export type Creating = Keeping & {
  readonly complete?: Complete
  /** It runs on the wall clock, which only a durable world can. */
  readonly isWall?: boolean
}

export type Forking = Creating & {
  /** A past instant of the parent. Default: now. */
  readonly at?: Instant | undefined
}

export type Loading = Creating & { readonly prepare: () => Promise<void>; readonly complete: Complete }

/** Completes a new world before it is listed, such as with accounts and keys. */
export type Complete = (world: World) => Promise<void>

import type { Advanced, WorldClock } from '../operations/sim/clock.ts'
import type { Fault } from '../operations/sim/faults.ts'
import type { World } from '../operations/sim/worlds.ts'
import type { TypeOf } from '../shape/index.ts'

/** A message of the event stream of `GET /sim/v1/worlds/{world}/clock`: the clock, or the report of an advance. */
export type ClockMessage =
  | { readonly event: 'clock'; readonly data: TypeOf<typeof WorldClock> }
  | { readonly event: 'advanced'; readonly data: TypeOf<typeof Advanced> }
  | DeletedMessage

/** A message of the event stream of `GET /sim/v1/worlds`: first all worlds, then changes. */
export type WorldsMessage =
  | { readonly event: 'worlds'; readonly data: readonly TypeOf<typeof World>[] }
  | { readonly event: 'world'; readonly data: TypeOf<typeof World> }
  | { readonly event: 'faults'; readonly data: WorldFaults }
  | ClockMessage

/** All fault rules of a world, after one of them was created, applied or deleted. */
export type WorldFaults = { readonly world: string; readonly faults: readonly TypeOf<typeof Fault>[] }

type DeletedMessage = { readonly event: 'deleted'; readonly data: { readonly world: string } }

import type { Advanced, WorldClockShape } from '../operations/sim/clock.ts'
import type { FaultShape } from '../operations/sim/faults.ts'
import type { WorldShape } from '../operations/sim/worlds.ts'
import type { TypeOf } from '../shape/index.ts'

/** A message of the event stream of `GET /sim/v1/worlds/{world}/clock`: the clock, or the report of an advance. */
export type ClockMessage =
  | { readonly event: 'clock'; readonly data: TypeOf<typeof WorldClockShape> }
  | { readonly event: 'advanced'; readonly data: TypeOf<typeof Advanced> }
  | DeletedMessage

/** A message of the event stream of `GET /sim/v1/worlds`: first all worlds, then changes. */
export type WorldsMessage =
  | { readonly event: 'worlds'; readonly data: readonly TypeOf<typeof WorldShape>[] }
  | { readonly event: 'world'; readonly data: TypeOf<typeof WorldShape> }
  | { readonly event: 'faults'; readonly data: WorldFaults }
  | ClockMessage

/** All fault rules of a world, after one of them was created, applied or deleted. */
export type WorldFaults = { readonly world: string; readonly faults: readonly TypeOf<typeof FaultShape>[] }

type DeletedMessage = { readonly event: 'deleted'; readonly data: { readonly world: string } }

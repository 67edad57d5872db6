import { actionEvents } from '../actions/events.ts'
import { definedFields } from '../defined-fields.ts'
import type { WorldId } from '../ids.ts'
import type { ByKind } from '../kinds.ts'
import { type EventIn, events, integer } from '../schema.ts'
import type { WorldSettings } from '../world.ts'
import { listingEvents } from './assets/added.ts'
import { importedEvents } from './imported.ts'

/** The world whose market a world follows, and the last event of that world that was copied. */
export type Followed = { readonly world: WorldId; readonly seq: number }

/** The events that change a market. A following world copies them. */
const { symbolAdded, marketEventAdded, marketEventRemoved } = listingEvents
const { actionScheduled, actionCanceled } = actionEvents
const changes = {
  symbolAdded,
  marketEventAdded,
  marketEventRemoved,
  ...importedEvents,
  actionScheduled,
  actionCanceled,
}
export type MarketChange = EventIn<typeof changes>
export const isMarketChange = (kind: string): kind is MarketChange['kind'] => kind in changes

export type FollowCommand = ByKind<{
  /** Copies an event of the followed world. Without a change, only the number is stored. */
  copyMarket: {
    /** The last copied event before this one. */
    readonly after: number
    readonly seq: number
    readonly change?: MarketChange
  }
  endFollowing: Readonly<Record<never, never>>
}>

export const followEvents = events({
  /** Everything up to this event of the followed world is copied; its copy follows in the same decision. */
  marketCopied: { seq: integer() },
  /** A fork or a loaded world has a market of its own from now on. */
  followingEnded: {},
})

/** The settings of a world that follows another: the market settings are those of the followed world. */
export const followingSettings = (
  settings: WorldSettings,
  follows: WorldId,
  followed: WorldSettings,
): WorldSettings => ({
  ...settings,
  hours: followed.hours,
  ...definedFields({
    symbols: followed.symbols,
    added: followed.added,
    marketEvents: followed.marketEvents,
    market: followed.market,
    importedData: followed.importedData,
    prices: followed.prices,
  }),
  marketSeed: followed.marketSeed ?? followed.seed,
  follows,
})

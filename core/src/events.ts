import { accountEvents } from './account/events.ts'
import { marginEvents } from './account/margin-calls/events.ts'
import { partnerEvents } from './account/partner/events.ts'
import { actionEvents } from './actions/events.ts'
import { chainEvents } from './chain/facts.ts'
import { callEvents } from './idempotency.ts'
import { jobEvents } from './jobs/events.ts'
import { listingEvents } from './market/assets/added.ts'
import { followEvents } from './market/followed.ts'
import { importedEvents } from './market/imported.ts'
import { appEvents, grantEvents, machineEvents } from './oauth/events.ts'
import { orderEvents } from './orders/events.ts'
import { runEvents } from './runs/run.ts'
import type { EventIn } from './schema.ts'
import { issuerEvents, requestEvents } from './tokenization/events.ts'
import { userEvents } from './users/events.ts'
import { watchlistEvents } from './watchlists/watchlist.ts'
import { describeEvents } from './worlds/description.ts'

/** All events of a world, by kind. */
export const brokerEvents = {
  ...accountEvents,
  ...partnerEvents,
  ...marginEvents,
  ...actionEvents,
  ...listingEvents,
  ...importedEvents,
  ...followEvents,
  ...orderEvents,
  ...userEvents,
  ...appEvents,
  ...grantEvents,
  ...machineEvents,
  ...issuerEvents,
  ...requestEvents,
  ...watchlistEvents,
  ...jobEvents,
  ...chainEvents,
  ...callEvents,
  ...describeEvents,
  ...runEvents,
}
export type BrokerEvent = EventIn<typeof brokerEvents>

import type { AccountEvent } from './account/events.ts'
import type { PartnerEvent } from './account/partner/events.ts'
import type { ActionEvent } from './actions/events.ts'
import type { ChainEvent } from './chain/facts.ts'
import type { JobEvent } from './jobs/events.ts'
import type { ListingEvent } from './market/added.ts'
import type { ImportedEvent } from './market/imported.ts'
import type { OAuthEvent } from './oauth/events.ts'
import type { OrderEvent } from './orders/events.ts'
import type { TokenizationEvent } from './tokenization/events.ts'
import type { UserEvent } from './users/events.ts'
import type { WatchlistEvent } from './watchlists/watchlist.ts'

/** All events of a world. */
export type BrokerEvent =
  | AccountEvent
  | PartnerEvent
  | ActionEvent
  | ListingEvent
  | ImportedEvent
  | OrderEvent
  | UserEvent
  | OAuthEvent
  | TokenizationEvent
  | WatchlistEvent
  | JobEvent
  | ChainEvent

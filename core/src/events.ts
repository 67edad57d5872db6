import type { AccountEvent } from './account/events.ts'
import type { OrderEvent } from './orders/events.ts'

/** Everything that can happen in a world. */
export type BrokerEvent = AccountEvent | OrderEvent

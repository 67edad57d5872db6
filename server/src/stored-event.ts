import { type BrokerEvent, decode, decodeEvent, encode, encodeEvent } from '@quipu/core'
import type { Entry } from './journal/journal.ts'

/** An event as the journal keeps it: digests of secrets apart from what is hashed. */
export function entryOf(event: BrokerEvent): Entry {
  if (!('sealed' in event)) return { open: encodeEvent(event) }
  const { sealed, ...open } = event
  return { open: encode(open), sealed: encode(sealed) }
}

/** The inverse of `entryOf`. */
export function eventOf({ open, sealed }: Entry): BrokerEvent {
  const event = decodeEvent(open)
  return sealed === undefined ? event : ({ ...event, sealed: decode(sealed) } as BrokerEvent)
}

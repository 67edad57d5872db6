import { type BrokerEvent, decode, decodeEvent, encode, encodeEvent } from '@quipu/core'
import type { Group } from './journal/group.ts'
import type { Entry } from './journal/journal.ts'

/** Under this name the request that asked for an event stands in its sealed part; no event has such a field itself. */
const CAUSE = '~request'
const CAUSE_ONLY = new RegExp(`^\\{"${CAUSE}":"([0-9a-f]{32})"\\}$`)

/** An event as the journal keeps it: what is random (digests of secrets, the request's id) apart from what is hashed. */
export function entryOf(event: BrokerEvent, cause?: string): Entry {
  if (!('sealed' in event))
    return cause === undefined
      ? { open: encodeEvent(event) }
      : { open: encodeEvent(event), sealed: `{"${CAUSE}":"${cause}"}` }
  const { sealed, ...open } = event
  return {
    open: encode(open),
    sealed: encode(cause === undefined ? sealed : { ...sealed, [CAUSE]: cause }),
  }
}

/** Adds an event to what is to be stored: the same as its entry, without making one for those that come most. */
export function addEvent(group: Group, event: BrokerEvent, cause: string | undefined): void {
  switch (event.kind) {
    case 'orderAccepted':
    case 'orderWorked':
    case 'orderCanceled':
    case 'orderFilled':
      group.add(encodeEvent(event), cause === undefined ? undefined : `{"${CAUSE}":"${cause}"}`)
      return
    default: {
      const { open, sealed } = entryOf(event, cause)
      group.add(open, sealed)
    }
  }
}

/** The inverse of `entryOf`. */
export function eventOf({ open, sealed }: Entry): BrokerEvent {
  const event = decodeEvent(open)
  if (sealed === undefined || CAUSE_ONLY.test(sealed)) return event
  const { [CAUSE]: _, ...own } = decode(sealed) as Record<string, unknown>
  return { ...event, sealed: own } as BrokerEvent
}

/** The request that asked for an event; none for what time or the market brought, or older programs stored. */
export function causeOf({ sealed }: Entry): string | undefined {
  if (sealed === undefined) return undefined
  const [, alone] = CAUSE_ONLY.exec(sealed) ?? []
  return alone ?? (decode(sealed) as Record<string, string | undefined>)[CAUSE]
}

/** An event as whoever reads the books may see it: without its sealed part. */
export const openEventOf = ({ open }: Entry): BrokerEvent => decodeEvent(open)

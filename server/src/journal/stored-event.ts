import { type BrokerEvent, decode, decodeEvent, encode, encodeEvent } from '@quipu/core'
import type { Actor, RequestRecord } from './cause.ts'
import type { Group } from './group.ts'
import type { Entry } from './journal.ts'

/**
 * The request that asked for an event is stored under this name in its sealed part: with its first event the whole
 * record, with the others the request id. No event has such a field itself.
 */
const CAUSE = '~request'
const CAUSE_ONLY = `{"${CAUSE}":`
const CAUSE_ID = `${CAUSE_ONLY}"`
const ID_LENGTH = 32

/** The request of an event: its id, or with its first event the whole record. */
export type StoredCause = string | RequestRecord

/** An event as the journal stores it. What is random (digests of secrets, the request) is separate from what is hashed. */
export function entryOf(event: BrokerEvent, cause?: StoredCause): Entry {
  if (!('sealed' in event))
    return cause === undefined
      ? { open: encodeEvent(event) }
      : { open: encodeEvent(event), sealed: causeAlone(cause) }
  const { sealed, ...open } = event
  return {
    open: encode(open),
    sealed: encode(cause === undefined ? sealed : { ...sealed, [CAUSE]: cause }),
  }
}

function causeAlone(cause: StoredCause): string {
  if (typeof cause === 'string') return `${CAUSE_ID}${cause}"}`
  const { id, op, by, from } = cause
  return `${CAUSE_ONLY}{"id":"${id}","op":"${op}","by":${actorText(by)},"from":"${from}"}}`
}

const actorTexts = new WeakMap<Actor, string>()

/** A caller's actor serves many requests, and is encoded once. */
function actorText(actor: Actor): string {
  let text = actorTexts.get(actor)
  if (text === undefined) actorTexts.set(actor, (text = JSON.stringify(actor)))
  return text
}

/** Adds an event to what is to be stored: the same as its entry, without making one for those that come most. */
export function addEvent(group: Group, event: BrokerEvent, cause: StoredCause | undefined): void {
  switch (event.kind) {
    case 'orderAccepted':
    case 'orderWorked':
    case 'orderCanceled':
    case 'orderFilled':
      group.add(encodeEvent(event), cause === undefined ? undefined : causeAlone(cause))
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
  // Fields of the event come first: what begins with the request has nothing else.
  if (sealed === undefined || sealed.startsWith(CAUSE_ONLY)) return event
  const { [CAUSE]: _, ...own } = decode(sealed) as Record<string, unknown>
  return { ...event, sealed: own } as BrokerEvent
}

/** The id of the request that asked for an event; none for events of time or the market. */
export function causeOf(entry: Entry): string | undefined {
  const cause = storedCause(entry)
  return typeof cause === 'object' ? cause.id : cause
}

/** The record of a request, which is stored with its first event. */
export function recordOf(entry: Entry): RequestRecord | undefined {
  if (!hasRecord(entry)) return undefined
  const cause = storedCause(entry)
  return typeof cause === 'object' ? cause : undefined
}

/** Whether an entry may have the record of a request, by its text alone. */
export const hasRecord = ({ sealed }: Entry): boolean => sealed?.includes(`"${CAUSE}":{`) ?? false

function storedCause({ sealed }: Entry): StoredCause | undefined {
  if (sealed === undefined) return undefined
  if (sealed.startsWith(CAUSE_ID)) return sealed.slice(CAUSE_ID.length, CAUSE_ID.length + ID_LENGTH)
  return (decode(sealed) as Record<string, StoredCause | undefined>)[CAUSE]
}

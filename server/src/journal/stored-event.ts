import { type BrokerEvent, decode, decodeEvent, encode, encodeEvent } from '@quipu/core'
import type { Actor, RequestRecord } from './cause.ts'
import type { Group } from './group.ts'
import type { Entry } from './journal.ts'

/**
 * The field of the sealed part that names the API request of an event. The first event of a request stores the whole
 * request record, later ones store the request id. No event has a field with this name.
 */
const CAUSE = '~request'
const CAUSE_ONLY = `{"${CAUSE}":`
const CAUSE_ID = `${CAUSE_ONLY}"`
const ID_LENGTH = 32

/** The API request of an event: the whole record with its first event, the request id with later ones. */
export type StoredCause = string | RequestRecord

/** A journal entry for an event. Random parts (digests of secrets, the request) are outside the hashed part. */
export function entryOf(event: BrokerEvent, cause?: StoredCause): Entry {
  if (!('sealed' in event))
    return cause === undefined
      ? { open: encodeEvent(event) }
      : { open: encodeEvent(event), sealed: encodeCause(cause) }
  const { sealed, ...open } = event
  return {
    open: encode(open),
    sealed: encode(cause === undefined ? sealed : { ...sealed, [CAUSE]: cause }),
  }
}

function encodeCause(cause: StoredCause): string {
  if (typeof cause === 'string') return `${CAUSE_ID}${cause}"}`
  const { id, op, by, from } = cause
  return `${CAUSE_ONLY}{"id":"${id}","op":"${op}","by":${actorText(by)},"from":"${from}"}}`
}

const actorTexts = new WeakMap<Actor, string>()

/** Many requests share an actor, so its text is cached. */
function actorText(actor: Actor): string {
  let text = actorTexts.get(actor)
  if (text === undefined) actorTexts.set(actor, (text = JSON.stringify(actor)))
  return text
}

/** Adds an event to a group. */
export function addEvent(group: Group, event: BrokerEvent, cause: StoredCause | undefined): void {
  const { open, sealed } = entryOf(event, cause)
  group.add(open, sealed)
}

/** The inverse of `entryOf`. */
export function eventOf({ open, sealed }: Entry): BrokerEvent {
  const event = decodeEvent(open)
  // Fields of the event come first, so a sealed part that starts with the request has no other field.
  if (sealed === undefined || sealed.startsWith(CAUSE_ONLY)) return event
  const { [CAUSE]: _, ...fields } = decode(sealed) as Record<string, unknown>
  return { ...event, sealed: fields } as BrokerEvent
}

/** The id of the API request of an event; undefined for events of the clock or the market. */
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

/** Whether an entry may contain a request record. Checks only the text, without decoding. */
export const hasRecord = ({ sealed }: Entry): boolean => sealed?.includes(`"${CAUSE}":{`) ?? false

function storedCause({ sealed }: Entry): StoredCause | undefined {
  if (sealed === undefined) return undefined
  if (sealed.startsWith(CAUSE_ID)) return sealed.slice(CAUSE_ID.length, CAUSE_ID.length + ID_LENGTH)
  return (decode(sealed) as Record<string, StoredCause | undefined>)[CAUSE]
}

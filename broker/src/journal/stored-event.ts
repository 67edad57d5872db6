import { type BrokerEvent, brokerEvents, firstOf, record, type Schema } from '@quipu/core'
import { type AnyCodec, codecOf } from '../binary/codec.ts'
import { BinaryReader, UnreadableRecord } from '../binary/reader.ts'
import type { BinaryWriter } from '../binary/writer.ts'
import { type RequestRecord, requestRecordSchema } from './cause.ts'
import { eventKinds } from './event-kinds.table.ts'
import { EventGroup } from './group.ts'
import type { Entry } from './journal.ts'

/** The API request of an event: the whole record with its first event, the request id with later ones. */
export type StoredCause = string | RequestRecord

/** The first byte of a sealed part: how the request is stored, and whether the event has a sealed part itself. */
const [REQUEST_ID, REQUEST_RECORD, OF_EVENT] = [1, 2, 4] as const

type Sealed = { readonly cause?: StoredCause | undefined; readonly fields?: unknown }

/** How an event of one kind is stored. */
type Stored = {
  readonly number: number
  readonly open: AnyCodec
  /** The codec of the field `sealed`, if the kind has one. */
  readonly fields: AnyCodec | undefined
  readonly sealed: { readonly read: (reader: BinaryReader) => Sealed }
}

const requestRecords = codecOf(requestRecordSchema)
const stored = new Map<string, Stored>()
const reader = new BinaryReader()

/** Created on first use, because a process uses few kinds. */
function storedAs(kind: BrokerEvent['kind']): Stored {
  let found = stored.get(kind)
  if (!found) stored.set(kind, (found = newStored(kind)))
  return found
}

function newStored(kind: BrokerEvent['kind']): Stored {
  const schema = brokerEvents[kind]
  const number = eventKinds.indexOf(kind)
  if (!schema || number < 0) throw new Error(`bug: event kind ${kind} is not declared`)
  const { sealed, ...open } = schema.fields as Readonly<Record<string, Schema | { optional: Schema }>>
  const fields = sealed && codecOf('optional' in sealed ? sealed.optional : sealed)
  return {
    number,
    open: codecOf({ ...record(open), constant: schema.constant }),
    fields,
    sealed: { read: (from) => readSealed(from, fields) },
  }
}

/** Adds an event to a group. Random parts (digests of secrets, the request) are outside the hashed part. */
export function addEvent(group: EventGroup, event: BrokerEvent, cause?: StoredCause): void {
  const { number, open, fields } = storedAs(event.kind)
  const sealed = 'sealed' in event ? event.sealed : undefined
  group.add(
    (writer) => {
      writer.byte(number)
      open.write(writer, event as never)
    },
    cause === undefined && sealed === undefined
      ? undefined
      : (writer) => writeSealed(writer, cause, sealed, fields),
  )
}

function writeSealed(
  writer: BinaryWriter,
  cause: StoredCause | undefined,
  sealed: unknown,
  fields: AnyCodec | undefined,
): void {
  const request = cause === undefined ? 0 : typeof cause === 'string' ? REQUEST_ID : REQUEST_RECORD
  writer.byte(request | (sealed === undefined ? 0 : OF_EVENT))
  if (typeof cause === 'string') writer.hex(cause)
  else if (cause) requestRecords.write(writer, cause)
  if (sealed !== undefined) fields!.write(writer, sealed as never)
}

function readSealed(from: BinaryReader, fields: AnyCodec | undefined): Sealed {
  const head = from.byte()
  const cause = head & REQUEST_ID ? from.hex() : head & REQUEST_RECORD ? requestRecords.read(from) : undefined
  return { cause, fields: head & OF_EVENT ? fields?.read(from) : undefined }
}

/** An event as a journal entry. */
export function storedEntry(event: BrokerEvent, cause?: StoredCause): Entry {
  const group = new EventGroup()
  addEvent(group, event, cause)
  return firstOf(group.entries())
}

/** The kind of a stored event. */
export function storedKind({ open }: Entry): BrokerEvent['kind'] {
  const kind = eventKinds[open[0]!]
  if (kind === undefined) throw new UnreadableRecord(`unknown kind of event ${open[0]}`)
  return kind
}

/** Whether the bytes of a part contain an id; other bytes may look the same. */
export const mentions = (part: Buffer | undefined, idBytes: Buffer): boolean =>
  part?.includes(idBytes) ?? false

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The bytes of an id in an open part, and of the id of an API request in a sealed part. */
export const bytesOfId = (id: string): Buffer =>
  UUID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : Buffer.from(id)
export const bytesOfRequestId = (id: string): Buffer =>
  Buffer.from(id, /^([0-9a-f]{2})+$/.test(id) ? 'hex' : 'utf8')

/** The inverse of `entryOf`. */
export function eventOf(entry: Entry): BrokerEvent {
  const { open, fields } = storedAs(storedKind(entry))
  const event = reader.record(open, entry.open, 1) as BrokerEvent
  if (!fields) return event
  const sealed = sealedOf(entry).fields
  return sealed === undefined ? event : ({ ...event, sealed } as BrokerEvent)
}

function sealedOf(entry: Entry): Sealed {
  return entry.sealed ? reader.record(storedAs(storedKind(entry)).sealed, entry.sealed) : {}
}

/** The id of the API request of an event; undefined for events of the clock or the market. */
export function causeOf(entry: Entry): string | undefined {
  const { cause } = sealedOf(entry)
  return typeof cause === 'object' ? cause.id : cause
}

/** The record of a request, which is stored with its first event. */
export function storedRecord(entry: Entry): RequestRecord | undefined {
  if (!hasRecord(entry)) return undefined
  const { cause } = sealedOf(entry)
  return typeof cause === 'object' ? cause : undefined
}

/** Whether an entry contains a request record. */
export const hasRecord = ({ sealed }: Entry): boolean =>
  sealed !== undefined && (sealed[0]! & REQUEST_RECORD) > 0

import { type BrokerEvent, brokerEvents } from '@quipu/core'
import type { Entry } from '../../journal/journal.ts'
import {
  causeOf,
  eventOf,
  type StoredCause,
  storedEntry,
  storedKind,
  storedRecord,
} from '../../journal/stored-event.ts'

/**
 * What becomes of each field of a sealed part. `number`: a digest, replaced by a number that matches no secret; events
 * that refer to each other by a digest have the same number. `empty`: a text, removed.
 */
export const sealedFields: Readonly<Record<string, 'keep' | 'number' | 'empty'>> = {
  keyId: 'keep',
  holder: 'keep',
  clientId: 'keep',
  chosen: 'keep',
  publicKey: 'keep',
  nowMs: 'keep',
  endsAtMs: 'keep',
  untilMs: 'keep',
  mainEpoch: 'keep',
  expiresAtMs: 'keep',
  step: 'keep',
  counter: 'keep',
  credential: 'empty',
  sealedSecret: 'empty',
  now: 'keep',
  expiresAt: 'keep',
  digest: 'number',
  secret: 'number',
  code: 'number',
  token: 'number',
  refresh: 'number',
  link: 'number',
  session: 'number',
  password: 'empty',
  apiKey: 'empty',
  privateKey: 'empty',
  from: 'empty',
}

/** The secrets of people, and the kinds of events that have them. */
const ofPeople: ReadonlySet<string> = new Set(['password', 'session', 'link', 'credential', 'sealedSecret'])
const peopleEvents: ReadonlySet<string> = new Set(
  Object.entries(brokerEvents)
    .filter(([, { fields }]) => secretNames(fields).some((name) => ofPeople.has(name)))
    .map(([kind]) => kind),
)

type Described = { readonly fields?: object; readonly optional?: { readonly fields?: object } }

/** The names in the sealed part of an event. */
function secretNames(fields: object): readonly string[] {
  const { sealed } = fields as { readonly sealed?: Described }
  return Object.keys(sealed?.fields ?? sealed?.optional?.fields ?? {})
}

/** Removes the secrets from the entries of one journal, in order. The hashed part of an entry has none. */
export class SecretRemover {
  readonly #numbers = new Map<string, string>()

  /** Removes only the secrets of people: passwords, second factors, sessions and sign-in links. */
  cleanPeople(entry: Entry): Entry {
    if (!peopleEvents.has(storedKind(entry))) return entry
    const event = eventOf(entry)
    if (!('sealed' in event) || event.sealed === undefined) return entry
    const sealed = Object.entries(event.sealed).map(([name, value]) => [
      name,
      ofPeople.has(name) ? this.#cleaned(name, value) : value,
    ])
    const cleaned = { ...event, sealed: Object.fromEntries(sealed) } as BrokerEvent
    return storedEntry(cleaned, storedRecord(entry) ?? causeOf(entry))
  }

  clean(entry: Entry): Entry {
    if (!entry.sealed) return entry
    const event = eventOf(entry)
    const cleaned = 'sealed' in event ? { ...event, sealed: this.#cleanFields(event.sealed ?? {}) } : event
    const { sealed } = storedEntry(cleaned as BrokerEvent, requestOf(entry))
    return sealed ? { open: entry.open, sealed } : { open: entry.open }
  }

  #cleanFields(fields: object): object {
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, this.#cleaned(name, value)]),
    )
  }

  #cleaned(name: string, value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return this.#cleanFields(value)
    const rule = sealedFields[name]
    if (rule === undefined) throw new Error(`bug: the sealed field ${name} is not classified`)
    switch (rule) {
      case 'keep':
        return value
      case 'number':
        return this.#numberOf(String(value))
      case 'empty':
        return ''
    }
  }

  /** As many digits as a SHA-256 digest has. */
  #numberOf(digest: string): string {
    let number = this.#numbers.get(digest)
    if (number === undefined)
      this.#numbers.set(digest, (number = String(this.#numbers.size + 1).padStart(64, '0')))
    return number
  }
}

/** The API request without the reference to the client address. */
function requestOf(entry: Entry): StoredCause | undefined {
  const record = storedRecord(entry)
  return record ? { ...record, from: '' } : causeOf(entry)
}

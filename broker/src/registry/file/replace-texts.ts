import { type BrokerEvent, brokerEvents, type Description, type Optional, type Schema } from '@quipu/core'

/** Texts that the server itself writes or derives; every other text may be about a person. */
const ownTexts = new Set([
  'number',
  'quantityText',
  'txHash',
  'bidExchange',
  'askExchange',
  'tape',
  'conditions',
  'frame',
  'refused',
  'digest',
])
/** Ids that somebody chooses, and what stands for them: the same number for the same id. */
const chosenIds: Readonly<Record<string, string>> = {
  clientOrderId: 'client-order',
  issuerRequestId: 'issuer-request',
  fromWorld: 'other-world',
  toWorld: 'other-world',
}
/** Optional fields that a caller chooses, or that name a person. */
const personal = new Set(['userId', 'client', 'idempotency', 'externalId', 'email'])
const OTHER_ACCOUNT = '00000000-0000-4000-8000-000000000000'
const REPLACED = 'replaced'

/** What the events of one report share. */
export type Replacing = {
  /** The accounts whose ids stay. */
  readonly accounts: ReadonlySet<string>
  /** The texts that stand for chosen ids. */
  readonly ids: Map<string, string>
}

/** Replaces every free text and chosen id of an event, removes ids of people, and hides the other account of a movement. */
export const replaceTexts = <Event extends BrokerEvent>(event: Event, replacing: Replacing): Event =>
  replaced(brokerEvents[event.kind], event, { name: '', replacing }) as Event

type Place = { readonly name: string; readonly replacing: Replacing }
type Fields = Readonly<Record<string, unknown>>

function replaced(schema: Schema, value: unknown, place: Place): unknown {
  if (value === undefined || value === null) return value
  const declared = schema as Description
  switch (declared.type) {
    case 'text':
      return replacedText(value as string, place.name)
    case 'id':
      return replacedId(value as string, place)
    case 'nullable':
      return replaced(declared.of, value, place)
    case 'list':
      return (value as unknown[]).map((one) => replaced(declared.of, one, place))
    case 'tuple':
      return (value as unknown[]).map((one, index) => replaced(declared.of[index]!, one, place))
    case 'map':
      return replacedMap(declared, value as ReadonlyMap<unknown, unknown>, place)
    case 'record':
      return replacedFields(declared.fields, value as Fields, place)
    case 'union': {
      const variant = declared.variants[(value as Fields)[declared.tag] as string]!
      return replacedFields(variant.fields, value as Fields, place)
    }
    case 'hex':
    case 'amount':
    case 'instant':
    case 'date':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'pattern':
    case 'oneOf':
      return value
  }
}

function replacedText(text: string, name: string): string {
  if (name === 'details') return JSON.stringify(withoutTexts(JSON.parse(text)))
  return ownTexts.has(name) ? text : REPLACED
}

function replacedId(id: string, { name, replacing: { accounts, ids } }: Place): string {
  if ((name === 'from' || name === 'to') && !accounts.has(id)) return OTHER_ACCOUNT
  const chosen = chosenIds[name]
  return chosen === undefined ? id : numbered(ids, chosen, id)
}

function numbered(ids: Map<string, string>, word: string, id: string): string {
  const key = `${word} ${id}`
  const known = ids.get(key) ?? `${word}-${ids.size + 1}`
  ids.set(key, known)
  return known
}

const replacedMap = (
  { key, value }: Extract<Description, { type: 'map' }>,
  entries: ReadonlyMap<unknown, unknown>,
  place: Place,
): ReadonlyMap<unknown, unknown> =>
  new Map([...entries].map(([name, one]) => [replaced(key, name, place), replaced(value, one, place)]))

function replacedFields(
  schemas: Readonly<Record<string, Schema | Optional>>,
  fields: Fields,
  { replacing }: Place,
): Fields {
  const kept = Object.entries(fields).filter(([name]) => !personal.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const schema = schemas[name]
      if (schema === undefined) return [name, value]
      return [name, replaced('optional' in schema ? schema.optional : schema, value, { name, replacing })]
    }),
  )
}

/** The details that a partner stores of a customer, with the same fields. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutTexts(field)]))
  return typeof value === 'boolean' || value === null ? value : REPLACED
}

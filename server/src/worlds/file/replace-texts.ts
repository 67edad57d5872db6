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
/** Optional fields that a caller chooses, or that name a person. */
const personal = new Set(['userId', 'client', 'idempotency', 'externalId', 'email'])
const OTHER_ACCOUNT = '00000000-0000-4000-8000-000000000000'
const REPLACED = 'replaced'

/** Replaces every free text of an event, removes ids of people, and hides the other account of a movement. */
export const replaceTexts = <Event extends BrokerEvent>(event: Event, accounts: ReadonlySet<string>): Event =>
  replaced(brokerEvents[event.kind], event, { name: '', accounts }) as Event

type Place = { readonly name: string; readonly accounts: ReadonlySet<string> }
type Fields = Readonly<Record<string, unknown>>

function replaced(schema: Schema, value: unknown, place: Place): unknown {
  if (value === undefined || value === null) return value
  const declared = schema as Description
  switch (declared.type) {
    case 'text':
      return replacedText(value as string, place.name)
    case 'id':
      return isOther(value as string, place) ? OTHER_ACCOUNT : value
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

const isOther = (id: string, { name, accounts }: Place): boolean =>
  (name === 'from' || name === 'to') && !accounts.has(id)

const replacedMap = (
  { key, value }: Extract<Description, { type: 'map' }>,
  entries: ReadonlyMap<unknown, unknown>,
  place: Place,
): ReadonlyMap<unknown, unknown> =>
  new Map([...entries].map(([name, one]) => [replaced(key, name, place), replaced(value, one, place)]))

function replacedFields(
  schemas: Readonly<Record<string, Schema | Optional>>,
  fields: Fields,
  { accounts }: Place,
): Fields {
  const kept = Object.entries(fields).filter(([name]) => !personal.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const schema = schemas[name]
      if (schema === undefined) return [name, value]
      return [name, replaced('optional' in schema ? schema.optional : schema, value, { name, accounts })]
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

/** A difference between a recorded response and the one of this broker. */
export type Difference = {
  /** The number of the request in the recording, from 1; absent for events. */
  readonly request?: number
  readonly what: string
  readonly expected: string
  readonly received: string
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What a comparison needs besides the two responses. */
export type Comparison = {
  /** Ids of the recorded broker, with the ids of this broker in the same places, so that later requests can name them. */
  readonly ids: Map<string, string>
  /** Whether the times of the requests are exact, so that seed and requests determine every value. */
  readonly comparesValues: boolean
}

/**
 * The fields of a response that are missing, more, or of another type, and values that differ. Ids, times, and what a
 * recording does not have are not compared.
 */
export function compareFields(
  recorded: unknown,
  received: unknown,
  comparison: Comparison,
  place = '',
): readonly Omit<Difference, 'request'>[] {
  const [expectedType, receivedType] = [typeOf(recorded), typeOf(received)]
  const name = place === '' ? 'body' : place
  // Null stands for a value that is not known yet.
  if (expectedType === 'null' || receivedType === 'null') return []
  if (expectedType !== receivedType) return [{ what: name, expected: expectedType, received: receivedType }]
  if (Array.isArray(recorded)) {
    const other = received as readonly unknown[]
    return recorded.flatMap((one, index) =>
      index < other.length ? compareFields(one, other[index], comparison, `${place}[${index}]`) : [],
    )
  }
  if (expectedType === 'object')
    return compareObjects(
      recorded as Record<string, unknown>,
      received as Record<string, unknown>,
      comparison,
      place,
    )
  if (ID.test(String(recorded)) && ID.test(String(received))) {
    comparison.ids.set(String(recorded), String(received))
    return []
  }
  if (!comparison.comparesValues || recorded === received || !isDetermined(name, recorded)) return []
  return [{ what: name, expected: JSON.stringify(recorded), received: JSON.stringify(received) }]
}

/** Names of ids, keys and positions in a list. */
const OPEN_NAME = /(^|[._])(id|key|token|number)(\[\d+\])?$/
/** Times, event ids, and values that the recording does not have. */
const OPEN_VALUE = /^\d{4}-\d\d-\d\dT|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|removed/

/** Whether the same requests in the same world must give the same value. */
const isDetermined = (name: string, value: unknown): boolean =>
  (name.endsWith('client_order_id') || !OPEN_NAME.test(name)) && !OPEN_VALUE.test(String(value))

function compareObjects(
  recorded: Record<string, unknown>,
  received: Record<string, unknown>,
  comparison: Comparison,
  place: string,
): readonly Omit<Difference, 'request'>[] {
  const at = (field: string): string => (place === '' ? field : `${place}.${field}`)
  const missing = Object.keys(recorded).filter((field) => !(field in received))
  const more = Object.keys(received).filter((field) => !(field in recorded))
  return [
    ...missing.map((field) => ({ what: at(field), expected: typeOf(recorded[field]), received: 'no field' })),
    ...more.map((field) => ({ what: at(field), expected: 'no field', received: typeOf(received[field]) })),
    ...Object.keys(recorded)
      .filter((field) => field in received)
      .flatMap((field) => compareFields(recorded[field], received[field], comparison, at(field))),
  ]
}

type Update = { readonly event: string; readonly client_order_id: string }

/** Orders whose events came in another order, or not at all. `ids` has the generated ids of both brokers. */
export function compareEvents(
  recorded: readonly Update[],
  received: readonly Update[],
  ids: ReadonlyMap<string, string>,
): readonly Difference[] {
  const [expected, actual] = [eventsByOrder(recorded), eventsByOrder(received)]
  return [...expected].flatMap(([order, events]) => {
    const others = actual.get(ids.get(order) ?? order) ?? 'no event'
    return others === events ? [] : [{ what: `events of ${order}`, expected: events, received: others }]
  })
}

function eventsByOrder(updates: readonly Update[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(updates, ({ client_order_id: id }) => id)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ event }) => event).join(', ')]))
}

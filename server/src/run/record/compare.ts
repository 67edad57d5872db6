/** A difference between a recorded answer and the one of this broker. */
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

/**
 * The fields of an answer that are missing, more, or of another type. Ids of the recorded broker are collected with the
 * ids of this broker in the same places, so that later requests can name them.
 */
export function compareFields(
  recorded: unknown,
  received: unknown,
  ids: Map<string, string>,
  place = '',
): readonly Omit<Difference, 'request'>[] {
  const [expectedType, receivedType] = [typeOf(recorded), typeOf(received)]
  const name = place === '' ? 'body' : place
  // Null stands for a value that is not known yet.
  if (expectedType === 'null' || receivedType === 'null') return []
  if (expectedType !== receivedType) return [{ what: name, expected: expectedType, received: receivedType }]
  if (typeof recorded === 'string' && typeof received === 'string') {
    if (ID.test(recorded) && ID.test(received)) ids.set(recorded, received)
    return []
  }
  if (Array.isArray(recorded)) {
    const other = received as readonly unknown[]
    return recorded.flatMap((one, index) =>
      index < other.length ? compareFields(one, other[index], ids, `${place}[${index}]`) : [],
    )
  }
  if (expectedType !== 'object') return []
  return compareObjects(recorded as Record<string, unknown>, received as Record<string, unknown>, ids, place)
}

function compareObjects(
  recorded: Record<string, unknown>,
  received: Record<string, unknown>,
  ids: Map<string, string>,
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
      .flatMap((field) => compareFields(recorded[field], received[field], ids, at(field))),
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

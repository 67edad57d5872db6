import type { Fields, RecordOf, RecordShape, WireRecordOf } from './record.ts'
import { type Shape, shape } from './shape.ts'

/** A record that refuses unknown fields: a misspelt field would otherwise change the meaning of the record. */
export function closedRecord<F extends Fields>(
  inner: RecordShape<F>,
): Shape<RecordOf<F>, WireRecordOf<F>> & { readonly fields: F } {
  const names = Object.keys(inner.fields)
  const closed = shape<RecordOf<F>, WireRecordOf<F>>({
    parse: (value, path, problems) => {
      const unknown = Object.keys(value ?? {}).find((name) => !Object.hasOwn(inner.fields, name))
      if (unknown === undefined || typeof value !== 'object') return inner.parse(value, path, problems)
      const field = path === '' ? unknown.slice(0, SHOWN_MAX) : `${path}.${unknown.slice(0, SHOWN_MAX)}`
      problems.push({ field, message: `${field}: unknown field; expected ${names.join(', ')}` })
      return undefined as never
    },
    json: () => ({ ...inner.json(), additionalProperties: false }),
    name: inner.name,
  })
  return { ...closed, fields: inner.fields }
}

const SHOWN_MAX = 60

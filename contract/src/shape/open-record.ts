import type { Fields, GivenRecordOf, RecordOf, RecordShape } from './record.ts'
import { type Shape, shape } from './shape.ts'

type Others = { readonly [key: string]: unknown }

/** A record that keeps whatever else it was given, as it came. */
export function openRecord<F extends Fields>(
  inner: RecordShape<F>,
): Shape<RecordOf<F> & Others, GivenRecordOf<F> & Others> & { readonly fields: F } {
  const open = shape<RecordOf<F> & Others, GivenRecordOf<F> & Others>({
    parse: (value, path, problems) => {
      const before = problems.length
      const parsed = inner.parse(value, path, problems)
      if (problems.length > before) return parsed as RecordOf<F> & Others
      const others = Object.entries(value as Others).filter(([key]) => !Object.hasOwn(inner.fields, key))
      return { ...Object.fromEntries(others), ...parsed }
    },
    json: () => ({ ...inner.json(), additionalProperties: true }),
    name: inner.name,
  })
  return { ...open, fields: inner.fields }
}

import type { Fields, RecordOf, RecordShape, WireRecordOf } from './record.ts'
import { type Shape, shape, wrong } from './shape.ts'

type Others = { readonly [key: string]: unknown }

/** Maximum nesting of lists and records: JSON.stringify fails on very deep values. */
const DEPTH_MAX = 32

/** A record that keeps unknown fields unchanged. A field with empty text counts as absent. */
export function openRecord<F extends Fields>(
  inner: RecordShape<F>,
): Shape<RecordOf<F> & Others, WireRecordOf<F> & Others> & { readonly fields: F } {
  const open = shape<RecordOf<F> & Others, WireRecordOf<F> & Others>({
    parse: (value, path, problems) => {
      const before = problems.length
      const parsed = inner.parse(value, path, problems)
      if (problems.length > before) return parsed as RecordOf<F> & Others
      if (!isShallow(value)) return wrong(problems, path, `a record at most ${DEPTH_MAX} deep`, value)
      const others = Object.entries(value as Others).filter(([key]) => !Object.hasOwn(inner.fields, key))
      const kept = [...others, ...Object.entries(parsed)].filter(([, one]) => one !== '')
      return Object.fromEntries(kept) as RecordOf<F> & Others
    },
    json: () => ({ ...inner.json(), additionalProperties: true }),
    name: inner.name,
  })
  return { ...open, fields: inner.fields }
}

/** Not recursive, because recursion fails on the values that must be refused. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= DEPTH_MAX; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}

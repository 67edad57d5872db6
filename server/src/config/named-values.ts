import type { Problem } from '@quipu/contract'
import { fail, ok } from '@quipu/core/values'
import type { Read } from './setting.ts'

const VALUE = /^([a-z_]+)=(\w+(?:\.\w+)?)(?:\.\.(\w+(?:\.\w+)?))?(?::(\w+))?$/
const numberOrText = (value: string): number | string => (/^\d{1,9}$/.test(value) ? Number(value) : value)

/**
 * Named values, such as `reject_share=0.05,latency=50ms..2s:long_tail`. `A..B` is a record of min and max, and a word
 * after a colon its shape.
 */
export const namedValues: Read<Readonly<Record<string, unknown>>> = (text) => {
  const entries: [string, unknown][] = []
  for (const part of text.split(',')) {
    const [, name, min, max, shape] = VALUE.exec(part) ?? []
    if (name === undefined || min === undefined)
      return fail('name=value or name=min..max, separated by commas')
    const value =
      max === undefined
        ? numberOrText(min)
        : { min: numberOrText(min), max: numberOrText(max), ...(shape && { shape }) }
    entries.push([name, value])
  }
  return ok(Object.fromEntries(entries))
}

/** The shape of a record of the API. */
type RecordShape<Value> = {
  readonly fields: object
  parse(value: unknown, path: string, problems: Problem[]): Value
}

/** Named values with the fields of a record of the API. */
export const namedFields =
  <Value>(shape: RecordShape<Value>): Read<Value> =>
  (text) => {
    const named = namedValues(text)
    if (!named.ok) return named
    const names = Object.keys(shape.fields)
    const unknown = Object.keys(named.value).find((name) => !names.includes(name))
    if (unknown !== undefined) return fail(`names of ${names.join(', ')}`)
    const problems: Problem[] = []
    const value = shape.parse(named.value, '', problems)
    const [problem] = problems
    return problem === undefined ? ok(value) : fail(`other values (${problem.message})`)
  }

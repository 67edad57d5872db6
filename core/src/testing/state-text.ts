import { encode } from '../encode.ts'

/** A state as text, to compare two: the order of fields does not matter, the order in maps and lists does. */
export const stateText = (state: unknown): string => encode(sorted(state))

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof Map) return new Map(Array.from(value, ([key, entry]) => [key, sorted(entry)]))
  if (value instanceof Set) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, entry]) => [name, sorted(entry)]))
}

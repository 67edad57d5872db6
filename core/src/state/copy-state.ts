import type { State, View } from './state.ts'

/** Orders and requests are replaced, never modified, so two states can share the records. */
const SHARED: ReadonlySet<string> = new Set<keyof State>(['orders', 'requests'])

/** A deep copy: writing to one state never changes the other. */
export function copyState(view: View): State {
  const copy: Record<string, unknown> = { ...view }
  for (const [part, value] of Object.entries(view))
    copy[part] = SHARED.has(part) ? new Map(value as ReadonlyMap<unknown, unknown>) : deepCopy(value)
  return copy as State
}

function deepCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map) return copyMap(value)
  if (value instanceof Set) return new Set(value)
  if (Array.isArray(value)) return value.map(deepCopy)
  const copy: Record<string, unknown> = { ...value }
  for (const name in copy) copy[name] = deepCopy(copy[name])
  return copy
}

/** Copies the table as a whole: most large maps hold ids, which need no copy of their own. */
function copyMap(map: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
  const copy = new Map(map)
  for (const [key, entry] of copy)
    if (typeof entry === 'object' && entry !== null) copy.set(key, deepCopy(entry))
  return copy
}

import { emptyAgenda } from '../agenda.ts'
import type { State, View } from './state.ts'

/** Orders and requests are replaced, never modified, so two states can share the records. */
const SHARED: ReadonlySet<string> = new Set<keyof State>(['orders', 'requests'])

/**
 * A state for commands that are tried and thrown away. It copies a record when the record is first read, so it is cheap
 * in a large world. Its agenda is empty: only what the tried commands schedule comes due.
 */
export function scratchState(view: View): State {
  const state: Record<string, unknown> = { ...view }
  for (const [part, value] of Object.entries(view)) {
    if (part === 'agenda') state[part] = emptyAgenda()
    else if (part === 'closed') state[part] = { ids: [], seqs: [] }
    else if (SHARED.has(part)) state[part] = new LazyCopy(value as ReadonlyMap<unknown, unknown>, shared)
    else state[part] = copyOf(value)
  }
  return state as State
}

const shared = (value: unknown): unknown => value

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map) return new LazyCopy(value, copyOf)
  if (value instanceof Set) return new Set(value)
  if (Array.isArray(value)) return value.map(copyOf)
  const copy: Record<string, unknown> = { ...value }
  for (const name in copy) copy[name] = copyOf(copy[name])
  return copy
}

/** A copy of a map that copies an entry when it is first read. Reading all entries copies the whole map. */
class LazyCopy extends Map<unknown, unknown> {
  readonly #original: ReadonlyMap<unknown, unknown>
  readonly #copy: (value: unknown) => unknown
  readonly #deleted = new Set<unknown>()
  #isComplete = false

  constructor(original: ReadonlyMap<unknown, unknown>, copy: (value: unknown) => unknown) {
    super()
    this.#original = original
    this.#copy = copy
  }

  override get(key: unknown): unknown {
    if (super.has(key) || !this.#isUncopied(key)) return super.get(key)
    const copy = this.#copy(this.#original.get(key))
    super.set(key, copy)
    return copy
  }

  override has(key: unknown): boolean {
    return super.has(key) || this.#isUncopied(key)
  }

  override delete(key: unknown): boolean {
    const isUncopied = this.#isUncopied(key)
    this.#deleted.add(key)
    return super.delete(key) || isUncopied
  }

  override clear(): void {
    this.#isComplete = true
    super.clear()
  }

  override get size(): number {
    this.#complete()
    return super.size
  }

  override entries(): MapIterator<[unknown, unknown]> {
    this.#complete()
    return super.entries()
  }

  override keys(): MapIterator<unknown> {
    this.#complete()
    return super.keys()
  }

  override values(): MapIterator<unknown> {
    this.#complete()
    return super.values()
  }

  override forEach(use: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void): void {
    this.#complete()
    super.forEach(use)
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries()
  }

  #isUncopied(key: unknown): boolean {
    return !this.#isComplete && !this.#deleted.has(key) && this.#original.has(key)
  }

  /** Copies the rest. The entries keep the order of the original; new ones follow. */
  #complete(): void {
    if (this.#isComplete) return
    this.#isComplete = true
    const changed = new Map(super.entries())
    super.clear()
    for (const [key, value] of this.#original)
      if (!this.#deleted.has(key)) super.set(key, changed.has(key) ? changed.get(key) : this.#copy(value))
    for (const [key, value] of changed) if (!super.has(key)) super.set(key, value)
  }
}

import { type Signal, signal } from '@preact/signals'
import { type Remembered, remembered } from '../../session/remembered.ts'
import type { Sort } from './row-order.ts'

/** What the viewer chose in a table. Columns and sorting are remembered; the rest ends with the page. */
export type TableState = {
  readonly name: string
  readonly sorts: Remembered<readonly Sort[]>
  /** The ids of the chosen columns; undefined: those that are not extra. */
  readonly chosen: Remembered<readonly string[] | undefined>
  readonly filter: Signal<string>
  /** The row that the keyboard is at. */
  readonly cursor: Signal<string | undefined>
  /** The row from which Shift selects up to the cursor. */
  readonly anchor: Signal<string | undefined>
  readonly selected: Signal<ReadonlySet<string>>
  /** The rows that were there when the selection began: new ones wait, so that no row moves under the pointer. */
  readonly kept: Signal<ReadonlySet<string> | undefined>
}

export const tableState = (name: string, sorts: readonly Sort[]): TableState => ({
  name,
  sorts: remembered(`table-${name}-sort`, sorts, sortsOf),
  chosen: remembered<readonly string[] | undefined>(`table-${name}-columns`, undefined, idsOf),
  filter: signal(''),
  cursor: signal<string | undefined>(undefined),
  anchor: signal<string | undefined>(undefined),
  selected: signal<ReadonlySet<string>>(new Set()),
  kept: signal<ReadonlySet<string> | undefined>(undefined),
})

const isText = (value: unknown): value is string => typeof value === 'string'

const idsOf = (stored: unknown): readonly string[] | undefined =>
  Array.isArray(stored) && stored.every(isText) ? stored : undefined

function sortsOf(stored: unknown): readonly Sort[] | undefined {
  if (!Array.isArray(stored)) return undefined
  const isSort = (one: Partial<Sort> | null): one is Sort =>
    isText(one?.id) && typeof one.isDown === 'boolean'
  return stored.every(isSort) ? stored : undefined
}

/** Changes the selection. `all` returns the keys of the rows that are there, also of those that the filter hides. */
export function select(
  { selected, kept }: TableState,
  keys: Iterable<string>,
  all: () => readonly string[],
): void {
  const next = new Set(keys)
  if (next.size === 0) kept.value = undefined
  else kept.value ??= new Set(all())
  selected.value = next
}

export const clearSelection = (state: TableState): void => select(state, [], () => [])

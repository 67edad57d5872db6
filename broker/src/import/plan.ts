import type { RowKind } from '../market/store/index.ts'
import { ImportUsage } from './failures.ts'
import { bare, columnNames, fieldNamed, KINDS, REQUIRED, type Target, targetsOf } from './fields.ts'
import { LAYOUTS, type Layout } from './layouts.table.ts'

/** The meaning of the columns of a file. */
export type Plan = {
  readonly layout: string
  readonly kind: RowKind
  /** The column of each field that has one, in the order of the file. */
  readonly mapping: ReadonlyMap<string, string>
  /** By column index; undefined columns are not read. */
  readonly targets: readonly (Target | undefined)[]
}

export type PlanOptions = {
  readonly kind?: RowKind
  /** `time=ts,open=o`; an empty column omits the field. */
  readonly columns?: string
}

/** Uses a known layout, otherwise the column names. Options take precedence. Throws ImportUsage. */
export function planFor(names: readonly string[], options: PlanOptions): Plan {
  const layout = LAYOUTS.find((one) => isLayout(one, names) && (options.kind ?? one.kind) === one.kind)
  const kind = layout?.kind ?? options.kind ?? kindOf(names, options.columns)
  const mapping = layout ? known(layout, names) : guessed(kind, names)
  const isChanged = override(mapping, kind, names, options.columns)
  const targets = targetsOf(kind)
  const ordered = [...mapping].sort(([, a], [, b]) => names.indexOf(a) - names.indexOf(b))
  const fieldOf = new Map(ordered.map(([field, column]) => [column, field]))
  requireFields(kind, mapping, names)
  return {
    layout: layout ? layout.name + (isChanged ? ', changed' : '') : 'guessed',
    kind,
    mapping: new Map(ordered),
    targets: names.map((name) => targets.get(fieldOf.get(name) ?? '')),
  }
}

const isLayout = ({ marks, exact }: Layout, names: readonly string[]): boolean =>
  marks.every((mark) => columnNamed(names, mark, exact) !== undefined)

const columnNamed = (names: readonly string[], wanted: string, exact?: true): string | undefined =>
  names.find((name) => name === wanted) ??
  (exact ? undefined : names.find((name) => name.toLowerCase() === wanted.toLowerCase()))

function known({ columns, exact }: Layout, names: readonly string[]): Map<string, string> {
  const mapping = new Map<string, string>()
  for (const [name, field] of Object.entries(columns)) {
    const column = columnNamed(names, name, exact)
    if (column !== undefined && !mapping.has(field)) mapping.set(field, column)
  }
  return mapping
}

/** The kind whose required fields all have a column; bars before quotes before trades. */
function kindOf(names: readonly string[], columns: string | undefined): RowKind {
  for (const kind of ['bars', 'quotes', 'trades'] as const) {
    const mapping = guessed(kind, names)
    for (const [field, column] of splitColumns(columns)) {
      const target = fieldNamed(kind, field)
      if (target !== undefined && column !== '') mapping.set(target, column)
    }
    if (REQUIRED[kind].every((field) => mapping.has(field))) return kind
  }
  throw new ImportUsage(
    `the columns ${shown(names)} match none of ${KINDS.join(', ')}; add --columns ` +
      'time=…,open=… (or price=…, bid_price=…), and --kind',
  )
}

function guessed(kind: RowKind, names: readonly string[]): Map<string, string> {
  const mapping = new Map<string, string>()
  const taken = new Set<string>()
  for (const field of targetsOf(kind).keys()) {
    if (field === 'date' || field === 'clock' || field === 'period') continue
    const column = columnNames(field)
      .map((wanted) => names.find((name) => bare(name) === wanted && !taken.has(name)))
      .find((found) => found !== undefined)
    if (column === undefined) continue
    taken.add(column)
    mapping.set(field, column)
  }
  splitTime(mapping, names)
  return mapping
}

/** Uses a date column and a time column, if the file has both. */
function splitTime(mapping: Map<string, string>, names: readonly string[]): void {
  const [date, clock] = ['date', 'time'].map((wanted) => names.find((name) => bare(name) === wanted))
  if (date === undefined || clock === undefined) return
  mapping.delete('time')
  mapping.set('date', date)
  mapping.set('clock', clock)
}

function override(
  mapping: Map<string, string>,
  kind: RowKind,
  names: readonly string[],
  columns: string | undefined,
): boolean {
  const overrides = splitColumns(columns)
  for (const [name, column] of overrides) {
    const field = fieldNamed(kind, name)
    if (field === undefined)
      throw new ImportUsage(
        `--columns: ${name} is not a field of ${kind}; expected one of ${[...targetsOf(kind).keys()].join(', ')}`,
      )
    if (column !== '' && !names.includes(column))
      throw new ImportUsage(`--columns: the file has no column ${column}; its columns are ${shown(names)}`)
    for (const [other, taken] of mapping) if (taken === column) mapping.delete(other)
    mapping.delete(field)
    if (field === 'time') for (const half of ['date', 'clock']) mapping.delete(half)
    if (field === 'date' || field === 'clock') mapping.delete('time')
    if (column !== '') mapping.set(field, column)
  }
  return overrides.length > 0
}

function splitColumns(columns: string | undefined): readonly (readonly [string, string])[] {
  if (columns === undefined || columns === '') return []
  return columns.split(',').map((pair) => {
    const equals = pair.indexOf('=')
    if (equals <= 0)
      throw new ImportUsage(`--columns: expected FIELD=COLUMN, received ${JSON.stringify(pair)}`)
    return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()] as const
  })
}

function requireFields(kind: RowKind, mapping: ReadonlyMap<string, string>, names: readonly string[]): void {
  const missing = REQUIRED[kind].filter((field) => !mapping.has(field))
  if (!mapping.has('time') && !mapping.has('date')) missing.unshift('time')
  if (missing.length === 0) return
  throw new ImportUsage(
    `${kind} need ${missing.join(', ')}, and none of the columns ${shown(names)} matches; ` +
      `add --columns ${missing.map((field) => `${field}=…`).join(',')}`,
  )
}

const shown = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ')

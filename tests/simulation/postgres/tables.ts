import pg from 'pg'

export type Head = {
  readonly seq: number
  readonly hash: string
  readonly fence: number
  readonly holder: string
  /** The URL of the node that holds the world in a cluster. */
  readonly address?: string | null
  /** The end of the lease, on the clock of the server. */
  readonly expiresAtMs?: number | null
  readonly market: number
}
export type NodeRow = {
  readonly address: string
  readonly version: string
  readonly draining: boolean
  readonly failures: object
  readonly startedAtMs: number
  readonly expiresAtMs: number
}
export type WorldRow = {
  readonly code: string
  readonly record: string | null
  readonly reservedAtMs: number
}
export type EventRow = { readonly open: Buffer; readonly sealed: Buffer | null }
/** By event number, then by line. */
export type Snapshots = ReadonlyMap<number, ReadonlyMap<number, string>>

/** The content of the database as one immutable value: a commit replaces it, and a crash restores an earlier one. */
export type Tables = {
  /** Absent until the table is created. */
  readonly formats?: readonly number[]
  readonly journals: ReadonlyMap<string, Head>
  readonly events: ReadonlyMap<string, readonly EventRow[]>
  readonly segments: ReadonlyMap<string, readonly string[]>
  readonly snapshots: ReadonlyMap<string, Snapshots>
  readonly nodes: ReadonlyMap<string, NodeRow>
  readonly worlds: ReadonlyMap<string, WorldRow>
}

export const noTables: Tables = {
  journals: new Map(),
  events: new Map(),
  segments: new Map(),
  snapshots: new Map(),
  nodes: new Map(),
  worlds: new Map(),
}

export function withRow<Name, Row>(
  rows: ReadonlyMap<Name, Row>,
  name: Name,
  row: Row,
): ReadonlyMap<Name, Row> {
  return new Map(rows).set(name, row)
}

export function withoutRow<Name, Row>(rows: ReadonlyMap<Name, Row>, name: Name): ReadonlyMap<Name, Row> {
  const rest = new Map(rows)
  rest.delete(name)
  return rest
}

/** Applies the changes of a transaction to the commits of others since it began. */
export function merged(now: Tables, base: Tables, changedTables: Tables): Tables {
  const changed = (Object.keys(changedTables) as (keyof Tables)[]).filter(
    (name) => changedTables[name] !== base[name],
  )
  const tables = changed.map((name) => {
    if (now[name] === base[name]) return [name, changedTables[name]]
    if (name === 'formats') throw new Error('bug: two transactions of the double change formats')
    return [name, mergedRows(name, [now[name], base[name], changedTables[name]])]
  })
  return { ...now, ...Object.fromEntries(tables) }
}

type Rows = ReadonlyMap<string, unknown>

function mergedRows(table: string, [now, base, changed]: readonly [Rows, Rows, Rows]): Rows {
  const rows = new Map(now)
  for (const name of new Set([...base.keys(), ...changed.keys()])) {
    if (changed.get(name) === base.get(name)) continue
    if (now.get(name) !== base.get(name))
      throw new Error(`bug: two transactions of the double change ${name} in ${table}`)
    if (changed.has(name)) rows.set(name, changed.get(name))
    else rows.delete(name)
  }
  return rows
}

/** An error of the server. */
export function sqlError(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
}

type Row = Readonly<Record<string, unknown>>
/** Without `tables` nothing was changed. */
export type Outcome = {
  readonly rows: readonly Row[]
  readonly rowCount: number | null
  readonly tables?: Tables
}
// biome-ignore lint/suspicious/noExplicitAny: values of any type
export type Values = readonly any[]
/** The clock of the server, and the rows that other sessions have locked. */
export type ServerNow = { readonly nowMs: number; readonly isLocked: (row: string) => boolean }
export type Statement = {
  readonly run: (tables: Tables, values: Values, now: ServerNow) => Outcome
  /** The row that is locked until the transaction ends. */
  readonly locks?: (values: Values) => string
}

export const found = (rows: readonly Row[]): Outcome => ({ rows, rowCount: rows.length })
export const changed = (tables: Tables, rowCount: number | null, rows: readonly Row[] = []): Outcome => ({
  rows,
  rowCount,
  tables,
})
export const nothing: Outcome = { rows: [], rowCount: null }

export function singleLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

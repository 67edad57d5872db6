import pg from 'pg'

export type Head = {
  readonly seq: number
  readonly hash: string
  readonly fence: number
  readonly holder: string
  readonly market: number
}
export type EventRow = { readonly open: string; readonly sealed: string | null }
/** By number, then by line. */
export type Snapshots = ReadonlyMap<number, ReadonlyMap<number, string>>

/** All that the database holds, as one value: a commit is another value, and a crash goes back to one. */
export type Tables = {
  /** Absent until somebody makes the table. */
  readonly formats?: readonly number[]
  readonly journals: ReadonlyMap<string, Head>
  readonly events: ReadonlyMap<string, readonly EventRow[]>
  readonly segments: ReadonlyMap<string, readonly string[]>
  readonly snapshots: ReadonlyMap<string, Snapshots>
}

export const noTables: Tables = {
  journals: new Map(),
  events: new Map(),
  segments: new Map(),
  snapshots: new Map(),
}

export function withRow<Name, Row>(
  rows: ReadonlyMap<Name, Row>,
  name: Name,
  row: Row,
): ReadonlyMap<Name, Row> {
  return new Map(rows).set(name, row)
}

/** What a transaction has changed, on top of what others have committed since it began. */
export function merged(now: Tables, base: Tables, own: Tables): Tables {
  const changed = (Object.keys(own) as (keyof Tables)[]).filter((name) => own[name] !== base[name])
  for (const name of changed)
    if (now[name] !== base[name]) throw new Error(`bug: two transactions of this double change ${name}`)
  return { ...now, ...Object.fromEntries(changed.map((name) => [name, own[name]])) }
}

/** An error as the server tells it. */
export function sqlError(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code })
}

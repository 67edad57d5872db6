import type { AccountId, Instant, OrderId, WorldId } from '@quipu/core'
import { boundsOf, type HistoryQuery, storable, type UpdatesQuery } from './history.ts'
import type { OrdersQuery, RequestsQuery } from './query-tables.ts'

/** A query of the tables. */
export type QueryTablesQuery =
  | { readonly kind: 'orders'; readonly query: OrdersQuery }
  | { readonly kind: 'legs'; readonly accountId: AccountId; readonly parentIds: readonly OrderId[] }
  | { readonly kind: 'requests'; readonly query: RequestsQuery }
  | { readonly kind: 'history'; readonly query: HistoryQuery }
  | { readonly kind: 'updates'; readonly query: UpdatesQuery }
  | { readonly kind: PointKind; readonly accountId: AccountId; readonly key: string }

/** A record as it is stored: JSON for history, otherwise the bytes of `records.ts` and `updates.ts`. */
export type StoredRecord = string | Uint8Array

type PointKind = keyof typeof points

/** The table and the column of a query for one record, and the type of the column. */
const points = {
  order: ['orders', 'id', 'id'],
  orderByClientId: ['orders', 'client_id', 'key'],
  request: ['requests', 'id', 'id'],
  callByKey: ['history', 'id', 'text'],
} as const

export const isPoint = (query: QueryTablesQuery): boolean => query.kind in points

type Value = string | number | bigint | null | Buffer | readonly string[]

/** The differences between the databases. */
export type Dialect = {
  /** Every table name begins with this. */
  readonly prefix: string
  /** The parameter for the value with this number; the first is 1. */
  readonly parameter: (number: number) => string
  /** The columns of a row that name its world and account. */
  readonly ownerColumns: readonly string[]
  /** The condition that a row belongs to the world and account of two parameters. */
  readonly isOwned: (world: string, account: string) => string
  readonly text: (text: string) => Value
  /** The id of an order or a request. */
  readonly id: (id: string) => Value
  /** A text that a client chose. */
  readonly key: (text: string) => Value
  readonly texts: (texts: readonly string[]) => Value
  /** The condition that a column has one of the texts in a parameter. */
  readonly isIn: (column: string, parameter: string) => string
  /** The same for ids. */
  readonly isOneOfIds: (column: string, parameter: string) => string
  readonly isOpen: (column: string, status: 'open' | 'closed') => string
  /** The name of the function that returns the index of a text in another, from 1. */
  readonly indexOf: string
  readonly unlimited: Value
}

/** SQL with the values of its parameters. */
export type Sql = { readonly text: string; readonly values: Value[] }

/** The SQL of a query of one world. The result is encoded records. */
export function sqlOf(dialect: Dialect, world: WorldId, query: QueryTablesQuery): Sql {
  const from = (table: string, accountId: AccountId) => new Selection(dialect, table, world, accountId)
  switch (query.kind) {
    case 'orders':
      return ordersSql(from('orders', query.query.accountId), query.query)
    case 'legs':
      return legsSql(from('orders', query.accountId), query.parentIds)
    case 'requests':
      return requestsSql(from('requests', query.query.accountId), query.query)
    case 'history':
      return historySql(from('history', query.query.accountId), query.query)
    case 'updates':
      return rowsById(from('updates', query.query.accountId), { ...query.query, part: 'updates' })
    case 'order':
    case 'orderByClientId':
    case 'request':
    case 'callByKey': {
      const [table, column, type] = points[query.kind]
      const selection = from(table, query.accountId)
      selection.add(`${column} = ${selection.value(dialect[type](query.key))}`)
      return selection.sql
    }
  }
}

/** Rows of one account in one table. The values are in the order of their parameters in the text. */
class Selection {
  readonly dialect: Dialect
  readonly table: string
  readonly #owner: readonly [world: WorldId, accountId: AccountId]
  readonly #values: Value[] = []
  readonly #conditions: string[] = []

  constructor(dialect: Dialect, table: string, world: WorldId, accountId: AccountId) {
    this.dialect = dialect
    this.table = dialect.prefix + table
    this.#owner = [world, accountId]
    this.add(this.isOwned())
  }

  /** Adds a value and returns its parameter. */
  value(value: Value): string {
    return this.dialect.parameter(this.#values.push(value))
  }

  text(text: string): string {
    return this.value(this.dialect.text(text))
  }

  add(condition: string): void {
    this.#conditions.push(condition)
  }

  addIn(column: string, texts: readonly string[]): void {
    this.add(this.dialect.isIn(column, this.value(this.dialect.texts(texts))))
  }

  /** Both bounds are exclusive. */
  addTimes(column: string, after: Instant | undefined, until: Instant | undefined): void {
    if (after !== undefined) this.add(`${column} > ${this.value(storable(after))}`)
    if (until !== undefined) this.add(`${column} < ${this.value(storable(until))}`)
  }

  isOwned(): string {
    const [world, accountId] = this.#owner
    return this.dialect.isOwned(this.value(world), this.text(accountId))
  }

  get sql(): Sql {
    const text = `SELECT record FROM ${this.table} WHERE ${this.#conditions.join(' AND ')}`
    return { text, values: this.#values }
  }

  sorted(order: string, limit: number | undefined): Sql {
    const { text, values } = this.sql
    return {
      text: `${text} ORDER BY ${order} LIMIT ${this.value(limit ?? this.dialect.unlimited)}`,
      values,
    }
  }
}

function ordersSql(selection: Selection, query: OrdersQuery): Sql {
  const { status, symbols, classes, side, beforeOrderId, afterOrderId } = query
  const { dialect } = selection
  if (status !== 'all') selection.add(dialect.isOpen('is_open', status))
  selection.addTimes('submitted', query.after, query.until)
  if (symbols !== undefined) selection.addIn('symbol', symbols)
  // Only crypto pairs have a slash in their symbol.
  if (classes?.length === 1)
    selection.add(`${dialect.indexOf}(symbol, '/') ${classes[0] === 'crypto' ? '>' : '='} 0`)
  if (side !== undefined) selection.add(`side = ${selection.value(side)}`)
  if (query.nested) selection.add(notNested(selection, query))
  const cursor = beforeOrderId ?? afterOrderId
  if (cursor !== undefined) {
    const comparison = beforeOrderId === undefined ? '>' : '<'
    selection.add(`(submitted, created, id) ${comparison} (${positionOf(selection, query, cursor).join()})`)
  }
  const way = query.direction === 'asc' ? 'ASC' : 'DESC'
  return selection.sorted(`submitted ${way}, created ${way}, id ${way}`, query.limit)
}

/** One lookup per column, because PostgreSQL does not use the index for a comparison with a subquery row. */
function positionOf(selection: Selection, { cursor }: OrdersQuery, id: OrderId): readonly string[] {
  const { dialect } = selection
  if (cursor)
    return [cursor.submittedAt, cursor.createdAt, dialect.id(cursor.id)].map((value) =>
      selection.value(value),
    )
  return ['submitted', 'created', 'id'].map(
    (column) =>
      `(SELECT ${column} FROM ${selection.table} WHERE ${selection.isOwned()} AND id = ${selection.value(dialect.id(id))})`,
  )
}

/** Orders that the list does not nest under a parent. */
function notNested(selection: Selection, { status, side }: OrdersQuery): string {
  const { table, dialect } = selection
  const conditions = [
    ...dialect.ownerColumns.map((column) => `above.${column} = ${table}.${column}`),
    `above.id = ${table}.parent`,
    ...(status === 'all' ? [] : [dialect.isOpen('above.is_open', status)]),
    ...(side === undefined ? [] : [`above.side = ${selection.value(side)}`]),
  ]
  return `(parent IS NULL OR NOT EXISTS (SELECT 1 FROM ${table} AS above WHERE ${conditions.join(' AND ')}))`
}

function legsSql(selection: Selection, parentIds: readonly OrderId[]): Sql {
  const { dialect } = selection
  selection.add(dialect.isOneOfIds('parent', selection.value(dialect.texts(parentIds))))
  return selection.sorted('submitted, created, id', undefined)
}

function requestsSql(selection: Selection, query: RequestsQuery): Sql {
  selection.addTimes('created', query.after, query.before)
  for (const column of ['kind', 'status', 'underlying', 'issuer', 'network'] as const) {
    const value = query[column]
    if (value !== undefined) selection.add(`${column} = ${selection.text(value)}`)
  }
  if (query.label !== undefined)
    selection.add(`label = ${selection.value(selection.dialect.key(query.label))}`)
  return selection.sorted('created DESC, id DESC', query.limit)
}

function historySql(selection: Selection, query: HistoryQuery): Sql {
  if (query.kinds) {
    selection.addIn('kind', query.kinds)
    // Most activities are fills, so queries without fills use an index that omits them.
    if (!query.kinds.includes('fill')) selection.add(`kind <> 'fill'`)
  }
  return rowsById(selection, query)
}

function rowsById(selection: Selection, query: Parameters<typeof boundsOf>[0]): Sql {
  const { above, below } = boundsOf(query)
  selection.add(`id > ${selection.value(above)} AND id < ${selection.value(below)}`)
  return selection.sorted(`id ${query.direction === 'asc' ? 'ASC' : 'DESC'}`, query.limit)
}

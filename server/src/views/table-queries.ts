import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { AccountId, AssetClass, OrderId, WorldId } from '@quipu/core'
import { keyOf } from './database.ts'
import { boundsOf, type HistoryQuery, type UpdatesQuery } from './history.ts'
import { storable } from './rows.ts'
import type { OrdersQuery, RequestsQuery } from './views.ts'

/** A query of the tables. */
export type ViewsQuery =
  | { readonly kind: 'orders'; readonly query: OrdersQuery }
  | { readonly kind: 'legs'; readonly accountId: AccountId; readonly parentIds: readonly OrderId[] }
  | { readonly kind: 'requests'; readonly query: RequestsQuery }
  | { readonly kind: 'history'; readonly query: HistoryQuery }
  | { readonly kind: 'updates'; readonly query: UpdatesQuery }
  | { readonly kind: PointKind; readonly accountId: AccountId; readonly key: string }

/** A record as it is stored: JSON for history, otherwise the bytes of `records.ts` and `updates.ts`. */
export type StoredRecord = string | Uint8Array

type PointKind = keyof typeof points

const points = {
  order: 'SELECT record FROM orders WHERE world = ? AND account = ? AND id = ?',
  orderByClientId: 'SELECT record FROM orders WHERE world = ? AND account = ? AND client_id = ?',
  request: 'SELECT record FROM requests WHERE world = ? AND account = ? AND id = ?',
  requestByKey: 'SELECT record FROM requests WHERE world = ? AND account = ? AND key = ?',
  callByKey: 'SELECT record FROM history WHERE world = ? AND account = ? AND id = ?',
} as const

type SqlQuery = { readonly sql: string; readonly values: readonly SQLInputValue[] }

/** Runs queries of one world on its tables. Results are encoded records. */
export class TableQueries {
  readonly #database: DatabaseSync
  readonly #world: WorldId
  /** Prepared statements by SQL text; there are a few hundred. */
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync, world: WorldId) {
    this.#database = database
    this.#world = world
  }

  run(query: ViewsQuery): readonly StoredRecord[] {
    const { sql, values } = this.#sqlOf(query)
    let statement = this.#prepared.get(sql)
    if (!statement) this.#prepared.set(sql, (statement = this.#database.prepare(sql)))
    return statement.all(...values).map(({ record }) => record as StoredRecord)
  }

  #sqlOf(question: ViewsQuery): SqlQuery {
    if (question.kind === 'orders') return ordersSql(this.#world, question.query)
    if (question.kind === 'legs') return legsSql(this.#world, question.accountId, question.parentIds)
    if (question.kind === 'requests') return requestsSql(this.#world, question.query)
    if (question.kind === 'history') return historySql(this.#world, question.query)
    if (question.kind === 'updates') return updatesSql(this.#world, question.query)
    const { kind, accountId, key } = question
    return { sql: points[kind], values: [this.#world, accountId, keyOf(key)] }
  }
}

type Condition = readonly [sql: string, ...values: readonly SQLInputValue[]]

function ordersSql(world: WorldId, query: OrdersQuery): SqlQuery {
  const { accountId, status, after, until, symbols, side, beforeOrderId, afterOrderId } = query
  const conditions: Condition[] = [['world = ? AND account = ?', world, accountId]]
  if (status !== 'all') conditions.push([`is_open = ${status === 'open' ? 1 : 0}`])
  if (after !== undefined) conditions.push(['submitted > ?', storable(after)])
  if (until !== undefined) conditions.push(['submitted < ?', storable(until)])
  if (symbols !== undefined)
    conditions.push(['symbol IN (SELECT value FROM json_each(?))', JSON.stringify(symbols)])
  if (query.classes !== undefined) conditions.push([classSql(query.classes)])
  if (side !== undefined) conditions.push(['side = ?', side])
  if (query.nested) conditions.push(notNestedSql(query))
  const cursor = beforeOrderId ?? afterOrderId
  if (cursor !== undefined) {
    const [position, ...values] = positionSql(world, query, cursor)
    conditions.push([
      `(submitted, created, id) ${beforeOrderId === undefined ? '>' : '<'} ${position}`,
      ...values,
    ])
  }
  const way = query.direction === 'asc' ? 'ASC' : 'DESC'
  return select('orders', conditions, `submitted ${way}, created ${way}, id ${way}`, query.limit)
}

function positionSql(world: WorldId, { accountId, cursor }: OrdersQuery, id: OrderId): Condition {
  if (cursor) return ['(?, ?, ?)', cursor.submittedAt, cursor.createdAt, cursor.id]
  const position = 'SELECT submitted, created, id FROM orders WHERE world = ? AND account = ? AND id = ?'
  return [`(${position})`, world, accountId, id]
}

/** Only crypto pairs have a slash in their symbol. */
const classSql = (classes: readonly AssetClass[]): string =>
  classes.length > 1 ? 'TRUE' : `instr(symbol, '/') ${classes[0] === 'crypto' ? '>' : '='} 0`

/** Orders that the list does not nest under a parent. */
function notNestedSql({ status, side }: OrdersQuery): Condition {
  const open = status === 'all' ? '' : ` AND above.is_open = ${status === 'open' ? 1 : 0}`
  const sql = `(parent IS NULL OR NOT EXISTS (SELECT 1 FROM orders AS above WHERE above.world = orders.world
    AND above.account = orders.account AND above.id = orders.parent${open}${side ? ' AND above.side = ?' : ''}))`
  return side ? [sql, side] : [sql]
}

function legsSql(world: WorldId, accountId: AccountId, parentIds: readonly OrderId[]): SqlQuery {
  return {
    sql: `SELECT record FROM orders WHERE world = ? AND account = ?
      AND parent IN (SELECT value FROM json_each(?)) ORDER BY submitted, created, id`,
    values: [world, accountId, JSON.stringify(parentIds)],
  }
}

function requestsSql(world: WorldId, query: RequestsQuery): SqlQuery {
  const conditions: Condition[] = [['world = ? AND account = ?', world, query.accountId]]
  if (query.after !== undefined) conditions.push(['created > ?', storable(query.after)])
  if (query.before !== undefined) conditions.push(['created < ?', storable(query.before)])
  for (const column of ['kind', 'status', 'underlying', 'issuer', 'network'] as const) {
    const value = query[column]
    if (value !== undefined) conditions.push([`${column} = ?`, value])
  }
  if (query.label !== undefined) conditions.push(['label = ?', keyOf(query.label)])
  return select('requests', conditions, 'created DESC, id DESC', query.limit)
}

function historySql(world: WorldId, query: HistoryQuery): SqlQuery {
  const conditions = [boundsSql(world, query)]
  if (query.kinds) {
    conditions.push(['kind IN (SELECT value FROM json_each(?))', JSON.stringify(query.kinds)])
    // Most activities are fills, so queries without fills use an index that omits them.
    if (!query.kinds.includes('fill')) conditions.push([`kind <> 'fill'`])
  }
  return selectById('history', conditions, query)
}

const updatesSql = (world: WorldId, query: UpdatesQuery): SqlQuery =>
  selectById('updates', [boundsSql(world, { ...query, part: 'updates' })], query)

function boundsSql(world: WorldId, query: Parameters<typeof boundsOf>[0]): Condition {
  const { above, below } = boundsOf(query)
  return ['world = ? AND account = ? AND id > ? AND id < ?', world, query.accountId, above, below]
}

const selectById = (
  table: string,
  conditions: readonly Condition[],
  { direction, limit }: UpdatesQuery,
): SqlQuery => select(table, conditions, `id ${direction === 'asc' ? 'ASC' : 'DESC'}`, limit ?? -1)

function select(table: string, conditions: readonly Condition[], order: string, limit: number): SqlQuery {
  return {
    sql: `SELECT record FROM ${table} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
      ORDER BY ${order} LIMIT ?`,
    values: [...conditions.flatMap(([, ...values]) => values), limit],
  }
}

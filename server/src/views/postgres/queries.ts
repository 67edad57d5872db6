import type { AssetClass, WorldId } from '@quipu/core'
import { boundsOf, type HistoryQuery, type UpdatesQuery } from '../history.ts'
import { storable } from '../rows.ts'
import type { ViewsQuery } from '../table-queries.ts'
import type { OrdersQuery, RequestsQuery } from '../views.ts'
import { keyBytes, withoutNul } from './keys.ts'

/** A query in SQL. Frequent queries have a name and are prepared. */
export type PostgresQuery = {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

type PointKind = Exclude<ViewsQuery['kind'], 'orders' | 'legs' | 'requests' | 'history' | 'updates'>
type Point = { readonly text: string; readonly key: (text: string) => string | Buffer }

const points: Readonly<Record<PointKind, Point>> = {
  order: {
    text: 'SELECT record FROM quipu_orders WHERE world = $1 AND account = $2 AND id = $3',
    key: withoutNul,
  },
  orderByClientId: {
    text: 'SELECT record FROM quipu_orders WHERE world = $1 AND account = $2 AND client_id = $3',
    key: keyBytes,
  },
  request: {
    text: 'SELECT record FROM quipu_requests WHERE world = $1 AND account = $2 AND id = $3',
    key: withoutNul,
  },
  requestByKey: {
    text: 'SELECT record FROM quipu_requests WHERE world = $1 AND account = $2 AND key = $3',
    key: keyBytes,
  },
  callByKey: {
    text: 'SELECT record FROM quipu_history WHERE world = $1 AND account = $2 AND id = $3',
    key: withoutNul,
  },
}

/** The SQL of a query of one world. The result is encoded records. */
export function postgresQuery(world: WorldId, query: ViewsQuery): PostgresQuery {
  if (query.kind === 'orders') return ordersQuery(world, query.query)
  if (query.kind === 'legs') return legsQuery(world, query)
  if (query.kind === 'requests') return requestsQuery(world, query.query)
  if (query.kind === 'history') return historyQuery(world, query.query)
  if (query.kind === 'updates') return updatesQuery(world, query.query)
  const { text, key } = points[query.kind]
  const values = [world, withoutNul(query.accountId), key(query.key)]
  return { name: query.kind, text, values }
}

/** The conditions of a list, and the values of their numbered parameters. */
class Conditions {
  readonly values: unknown[] = []
  readonly #texts: string[] = []

  /** Adds a value and returns its parameter. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  add(text: string): void {
    this.#texts.push(text)
  }

  /** Default: all rows. */
  list(table: string, order: string, limit: number | undefined): PostgresQuery {
    const where = this.#texts.join(' AND ')
    const text = `SELECT record FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT ${this.value(limit ?? null)}`
    return { text, values: this.values }
  }
}

function ordersQuery(world: WorldId, query: OrdersQuery): PostgresQuery {
  const { status, after, until, symbols, side, beforeOrderId, afterOrderId } = query
  const conditions = new Conditions()
  const owner = ownerOf(conditions, world, query.accountId)
  conditions.add(owner)
  if (status !== 'all') conditions.add(status === 'open' ? 'is_open' : 'NOT is_open')
  if (after !== undefined) conditions.add(`submitted > ${conditions.value(storable(after))}`)
  if (until !== undefined) conditions.add(`submitted < ${conditions.value(storable(until))}`)
  if (symbols !== undefined)
    conditions.add(`symbol = ANY(${conditions.value(symbols.map(withoutNul))}::text[])`)
  if (query.classes !== undefined) conditions.add(classCondition(query.classes))
  if (side !== undefined) conditions.add(`side = ${conditions.value(side)}`)
  if (query.nested) conditions.add(notNested(query, side && conditions.value(side)))
  const cursor = beforeOrderId ?? afterOrderId
  if (cursor !== undefined) {
    const position = query.cursor
      ? [query.cursor.submittedAt, query.cursor.createdAt, query.cursor.id].map((part) =>
          conditions.value(part),
        )
      : positionOf(owner, conditions.value(withoutNul(cursor)))
    conditions.add(`(submitted, created, id) ${beforeOrderId === undefined ? '>' : '<'} (${position.join()})`)
  }
  const way = query.direction === 'asc' ? 'ASC' : 'DESC'
  return conditions.list('quipu_orders', `submitted ${way}, created ${way}, id ${way}`, query.limit)
}

/** One lookup per column, because PostgreSQL does not use the index for a comparison with a subquery row. */
const positionOf = (owner: string, id: string): readonly string[] =>
  ['submitted', 'created', 'id'].map(
    (column) => `(SELECT ${column} FROM quipu_orders WHERE ${owner} AND id = ${id})`,
  )

/** Only crypto pairs have a slash in their symbol. */
const classCondition = (classes: readonly AssetClass[]): string =>
  classes.length > 1 ? 'TRUE' : `strpos(symbol, '/') ${classes[0] === 'crypto' ? '>' : '='} 0`

/** Orders that the list does not nest under a parent. */
function notNested({ status }: OrdersQuery, side: string | undefined): string {
  const open = status === 'all' ? '' : ` AND ${status === 'open' ? '' : 'NOT '}above.is_open`
  return `(parent IS NULL OR NOT EXISTS (SELECT 1 FROM quipu_orders AS above WHERE above.world = quipu_orders.world
    AND above.account = quipu_orders.account AND above.id = quipu_orders.parent${open}${side ? ` AND above.side = ${side}` : ''}))`
}

function legsQuery(
  world: WorldId,
  { accountId, parentIds }: Extract<ViewsQuery, { kind: 'legs' }>,
): PostgresQuery {
  const conditions = new Conditions()
  conditions.add(ownerOf(conditions, world, accountId))
  conditions.add(`parent = ANY(${conditions.value(parentIds.map(withoutNul))}::text[])`)
  return conditions.list('quipu_orders', 'submitted, created, id', undefined)
}

function requestsQuery(world: WorldId, query: RequestsQuery): PostgresQuery {
  const conditions = new Conditions()
  conditions.add(ownerOf(conditions, world, query.accountId))
  if (query.after !== undefined) conditions.add(`created > ${conditions.value(storable(query.after))}`)
  if (query.before !== undefined) conditions.add(`created < ${conditions.value(storable(query.before))}`)
  for (const column of ['kind', 'status', 'underlying', 'issuer', 'network'] as const) {
    const value = query[column]
    if (value !== undefined) conditions.add(`${column} = ${conditions.value(withoutNul(value))}`)
  }
  if (query.label !== undefined) conditions.add(`label = ${conditions.value(keyBytes(query.label))}`)
  return conditions.list('quipu_requests', 'created DESC, id DESC', query.limit)
}

function historyQuery(world: WorldId, query: HistoryQuery): PostgresQuery {
  const conditions = conditionsWithin(world, query)
  if (query.kinds) {
    conditions.add(`kind = ANY(${conditions.value(query.kinds)}::text[])`)
    if (!query.kinds.includes('fill')) conditions.add(`kind <> 'fill'`)
  }
  return listById('quipu_history', conditions, query)
}

const updatesQuery = (world: WorldId, query: UpdatesQuery): PostgresQuery =>
  listById('quipu_updates', conditionsWithin(world, { ...query, part: 'updates' }), query)

function conditionsWithin(world: WorldId, query: Parameters<typeof boundsOf>[0]): Conditions {
  const conditions = new Conditions()
  const { above, below } = boundsOf(query)
  conditions.add(ownerOf(conditions, world, query.accountId))
  conditions.add(`id > ${conditions.value(above)} AND id < ${conditions.value(below)}`)
  return conditions
}

const listById = (table: string, conditions: Conditions, { direction, limit }: UpdatesQuery): PostgresQuery =>
  conditions.list(table, `id ${direction === 'asc' ? 'ASC' : 'DESC'}`, limit)

const ownerOf = (conditions: Conditions, world: WorldId, accountId: string): string =>
  `world = ${conditions.value(world)} AND account = ${conditions.value(withoutNul(accountId))}`

import type { WorldId } from '@quipu/core'
import { type Dialect, isPoint, type QueryTablesQuery, type Sql, sqlOf } from '../queries.ts'
import { keyBytes, withoutNul } from './keys.ts'

const dialect: Dialect = {
  prefix: 'quipu_',
  parameter: (number) => `$${number}`,
  ownerColumns: ['world', 'account'],
  isOwned: (world, account) => `world = ${world} AND account = ${account}`,
  text: withoutNul,
  id: withoutNul,
  key: keyBytes,
  texts: (texts) => texts.map(withoutNul),
  isIn: (column, parameter) => `${column} = ANY(${parameter}::text[])`,
  isOneOfIds: (column, parameter) => `${column} = ANY(${parameter}::text[])`,
  isOpen: (column, status) => (status === 'open' ? column : `NOT ${column}`),
  indexOf: 'strpos',
  unlimited: null,
}

/** The SQL of a query of one world. Frequent queries have a name and are prepared. */
export function postgresQuery(world: WorldId, query: QueryTablesQuery): Sql & { readonly name?: string } {
  const sql = sqlOf(dialect, world, query)
  return isPoint(query) ? { ...sql, name: query.kind } : sql
}

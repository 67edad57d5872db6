import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { WorldId } from '@quipu/core'
import { type Dialect, type QueryTablesQuery, type StoredRecord, sqlOf } from '../queries.ts'
import { databaseKey, idOf } from './database.ts'

const dialect: Dialect = {
  prefix: '',
  parameter: () => '?',
  ownerColumns: ['owner'],
  isOwned: (world, account) =>
    `owner = (SELECT owner FROM owners WHERE world = ${world} AND account = ${account})`,
  // No stored text is ill-formed, so the replacement finds nothing.
  text: (text) => text.toWellFormed(),
  id: idOf,
  key: databaseKey,
  texts: JSON.stringify,
  isIn: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  isOneOfIds: (column, parameter) =>
    `${column} IN (SELECT iif(length(value) = 36, unhex(value, '-'), value) FROM json_each(${parameter}))`,
  isOpen: (column, status) => `${column} = ${status === 'open' ? 1 : 0}`,
  indexOf: 'instr',
  unlimited: -1,
}

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

  run(query: QueryTablesQuery): readonly StoredRecord[] {
    const { text, values } = sqlOf(dialect, this.#world, query)
    let statement = this.#prepared.get(text)
    if (!statement) this.#prepared.set(text, (statement = this.#database.prepare(text)))
    return statement.all(...(values as SQLInputValue[])).map(({ record }) => record as StoredRecord)
  }
}

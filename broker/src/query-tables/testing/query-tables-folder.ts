import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { WorldId } from '@quipu/core'
import { type FilesJournal, openFilesJournal } from '../../journal/files.ts'
import type { Entry, Journal } from '../../journal/journal.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import type { QueryTablesLimits } from '../messages.ts'
import type { QueryTables } from '../query-tables.ts'
import { type ReadableTable, readableRows } from '../sqlite/database.ts'
import { openSqliteQueryTables } from '../sqlite/sqlite.ts'

export const WORLD = 'main' as WorldId

/** A data folder with a journal and SQLite query tables, which can be closed and reopened. */
export class QueryTablesFolder {
  readonly path: string
  readonly limits: Partial<QueryTablesLimits>
  readonly logged: string[] = []
  readonly failures: unknown[] = []

  constructor(limits: Partial<QueryTablesLimits> = {}, path = emptyFolder()) {
    this.path = path
    this.limits = limits
  }

  readonly journalFolder = () => join(this.path, 'journal')
  readonly file = () => join(this.path, 'queryTables.db')
  readonly snapshots = () => join(this.path, 'snapshots')

  openJournal(): Promise<FilesJournal> {
    return openFilesJournal(this.journalFolder())
  }

  openQueryTables(
    journal: Journal,
    onFailure = (error: unknown): void => void this.failures.push(error),
  ): Promise<QueryTables> {
    return openSqliteQueryTables({
      world: WORLD,
      file: this.file(),
      journal,
      journalFolder: this.journalFolder(),
      snapshots: this.snapshots(),
      limits: this.limits,
      log: (line) => this.logged.push(line),
      onFailure,
    })
  }

  /** Opens the query tables, waits until they are current, runs, and closes them. */
  async with<Value>(
    run: (queryTables: QueryTables, journal: FilesJournal) => Promise<Value>,
  ): Promise<Value> {
    const journal = await this.openJournal()
    const queryTables = await this.openQueryTables(journal)
    try {
      await queryTables.reached(journal.head().seq)
      return await run(queryTables, journal)
    } finally {
      await queryTables.close()
      await journal.close()
    }
  }

  /** Appends events in groups and notifies the query tables. */
  async add(entries: readonly Entry[], size = 100): Promise<void> {
    await this.with(async (queryTables, journal) => {
      for (let at = 0; at < entries.length; at += size) {
        await journal.append(entries.slice(at, at + size))
        queryTables.follow(journal.head().seq)
      }
      await queryTables.reached(journal.head().seq)
    })
  }

  /** All rows of all tables, without the position. */
  rows(): unknown {
    const database = new DatabaseSync(this.file(), { readOnly: true })
    const all = (table: ReadableTable) => {
      const statement = database.prepare(readableRows(table))
      statement.setReadBigInts(true)
      return statement.all()
    }
    const rows = { orders: all('orders'), requests: all('requests'), history: all('history') }
    database.close()
    return rows
  }
}

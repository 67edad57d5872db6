import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { WorldId } from '@quipu/core'
import { type FilesJournal, openFilesJournal } from '../../journal/files.ts'
import type { Entry, Journal } from '../../journal/journal.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import type { ViewsLimits } from '../messages.ts'
import { type ReadableTable, readableRows } from '../sqlite/database.ts'
import { openSqliteViews } from '../sqlite/sqlite.ts'
import type { Views } from '../views.ts'

export const WORLD = 'main' as WorldId

/** A data folder with a journal and SQLite views, which can be closed and reopened. */
export class ViewsFolder {
  readonly path: string
  readonly limits: Partial<ViewsLimits>
  readonly logged: string[] = []
  readonly failures: unknown[] = []

  constructor(limits: Partial<ViewsLimits> = {}, path = emptyFolder()) {
    this.path = path
    this.limits = limits
  }

  readonly journalFolder = () => join(this.path, 'journal')
  readonly file = () => join(this.path, 'views.db')
  readonly snapshots = () => join(this.path, 'snapshots')

  openJournal(): Promise<FilesJournal> {
    return openFilesJournal(this.journalFolder())
  }

  openViews(
    journal: Journal,
    onFailure = (error: unknown): void => void this.failures.push(error),
  ): Promise<Views> {
    return openSqliteViews({
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

  /** Opens the views, waits until they are current, runs, and closes them. */
  async with<Value>(run: (views: Views, journal: FilesJournal) => Promise<Value>): Promise<Value> {
    const journal = await this.openJournal()
    const views = await this.openViews(journal)
    try {
      await views.reached(journal.head().seq)
      return await run(views, journal)
    } finally {
      await views.close()
      await journal.close()
    }
  }

  /** Appends events in groups and notifies the views. */
  async add(entries: readonly Entry[], size = 100): Promise<void> {
    await this.with(async (views, journal) => {
      for (let at = 0; at < entries.length; at += size) {
        await journal.append(entries.slice(at, at + size))
        views.follow(journal.head().seq)
      }
      await views.reached(journal.head().seq)
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

import { changed, type Statement } from './statement.ts'
import { type Tables, withoutRow } from './tables.ts'

// The statements that delete the rows of a world. The tables of the views are not kept.

const stored = ['snapshots', 'segments', 'events', 'journals'] as const
const views = ['views', 'orders', 'requests', 'history', 'updates']

const deletion = (table: (typeof stored)[number]): Statement => ({
  run: (tables: Tables, [world]) => {
    const rows: ReadonlyMap<string, unknown> = tables[table]
    return changed({ ...tables, [table]: withoutRow(rows, world) }, rows.has(world) ? 1 : 0)
  },
  ...(table === 'journals' ? { locks: ([world]: readonly string[]) => `head of ${world}` } : {}),
})

const statementOf = (table: string): string => `DELETE FROM quipu_${table} WHERE world = $1`

export const deleteStatements: Readonly<Record<string, Statement>> = Object.fromEntries([
  ...stored.map((table) => [statementOf(table), deletion(table)] as const),
  ...views.map((table) => [statementOf(table), { run: (tables: Tables) => changed(tables, 0) }] as const),
])

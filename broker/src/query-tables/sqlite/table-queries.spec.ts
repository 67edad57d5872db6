import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import type { QueryTablesQuery } from '../queries.ts'
import { anyHistoryQuery, anyOrdersQuery, anyRequestsQuery, queriesOfForks } from '../testing/any-query.ts'
import { historyOf } from '../testing/history-rules.ts'
import { QueryTablesFolder, WORLD } from '../testing/query-tables-folder.ts'
import { Story } from '../testing/story.ts'
import { openDatabase } from './database.ts'
import { TableQueries } from './table-queries.ts'

test('every query uses an index: no table scan, no sort', async () => {
  const folder = new QueryTablesFolder()
  const story = new Story(1).run(200)
  await folder.add(story.entries)
  const database = openDatabase(folder.file())
  const statements = new Set<string>()
  const noting = {
    prepare(sql: string) {
      statements.add(sql)
      return database.prepare(sql)
    },
  } as DatabaseSync
  const queries = new TableQueries(noting, WORLD)
  const questions: QueryTablesQuery[] = [
    ...fc.sample(anyOrdersQuery(story), 500).map((query) => ({ kind: 'orders', query }) as const),
    ...fc.sample(anyRequestsQuery(story), 500).map((query) => ({ kind: 'requests', query }) as const),
    ...fc
      .sample(anyHistoryQuery(story, historyOf(story)), 500)
      .map((query) => ({ kind: 'history', query }) as const),
    ...queriesOfForks(story),
    ...(['order', 'orderByClientId', 'request', 'callByKey'] as const).map((kind) => ({
      kind,
      accountId: story.accounts[0]!,
      key: 'x',
    })),
  ]
  for (const question of questions) queries.run(question)
  assert.ok(statements.size > 100)
  for (const sql of statements)
    for (const { detail } of database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
      assert.doesNotMatch(String(detail), /SCAN (orders|requests|history|updates)|TEMP B-TREE/, sql)
  database.close()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotApplied } from '../journal/not-applied.ts'
import type { Queries } from '../postgres/connection.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import { TableView } from './table-view.ts'

test('a code of no known world is one of main only if the database says so', async () => {
  let isUp = false
  const query = async () => {
    if (isUp) return { rows: [] }
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
  const queries = () => ({ query }) as unknown as Queries
  const view = new TableView({ name: 'a', queries, isOpen: () => false })
  await assert.rejects(view.byCode.lookUp('K3')!, NotApplied)
  isUp = true
  await view.byCode.lookUp('K3')
  assert.equal(view.byCode.lookUp('K3'), undefined)
  assert.equal(view.byCode.worldOf('K3'), MAIN)
})

test('a table that was not read for a lease is that of a lost node', async (t) => {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  let isUp = true
  const query = async () => {
    nowMs += 100
    if (isUp) return { rows: [] }
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
  const view = new TableView({
    name: 'a',
    queries: () => ({ query }) as unknown as Queries,
    isOpen: () => false,
  })
  assert.equal(view.isLost, true)
  await view.read()
  assert.equal(view.isLost, false)
  isUp = false
  nowMs += 2_900
  await assert.rejects(view.read(), NotApplied)
  assert.equal(view.isLost, true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queries } from '../postgres/connection.ts'
import { NotApplied } from '../process/not-applied.ts'
import { MAIN } from '../worlds/open-main.ts'
import { TableView } from './table-view.ts'

test('a code of no known world is one of main only if the database says so', async () => {
  let isUp = false
  const query = async () => {
    if (isUp) return { rows: [] }
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
  const queries = () => ({ query }) as unknown as Queries
  const view = new TableView({ name: 'a', queries, isOpen: () => false })
  await assert.rejects(view.lookUp('K3')!, NotApplied)
  isUp = true
  await view.lookUp('K3')
  assert.equal(view.lookUp('K3'), undefined)
  assert.equal(view.worldOf('K3'), MAIN)
})

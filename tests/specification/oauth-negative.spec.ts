import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matrix } from './oauth-negative.table.ts'
import { type Cell, type Kind, kinds, resultOf } from './oauth-partners.ts'
import type { StageResponse } from './stage.ts'

for (const [operation, cells] of Object.entries<Record<Kind, Cell>>(matrix))
  for (const kind of kinds) {
    const [expected, run] = cells[kind]
    test(`${operation} with an object that is ${kind}: ${expected}`, async () => {
      const result = await run()
      const [response, ...rest] = Array.isArray(result) ? result : [result]
      assert.equal([resultOf(response as StageResponse), ...rest].join(' '), expected)
    })
  }

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBlock, encodeBlock } from './block.ts'
import { rowTexts, someRows } from './testing/store.ts'

for (const kind of ['bars', 'trades', 'quotes'] as const)
  test(`${kind} come out of a block as they went in`, () => {
    fc.assert(
      fc.property(someRows(kind), (rows) => {
        const bytes = Buffer.from(encodeBlock(rows, 0, rows.count))
        assert.deepEqual(rowTexts(decodeBlock(kind, bytes)), rowTexts(rows))
      }),
    )
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBlock, encodeBlock } from './block.ts'
import { rowTexts, someRows } from './testing/store.ts'

for (const kind of ['bars', 'trades', 'quotes'] as const)
  test(`a block returns the same ${kind} that it was made of`, () => {
    fc.assert(
      fc.property(someRows(kind), fc.nat(7), (rows, offset) => {
        const bytes = encodeBlock(rows, 0, rows.count)
        const moved = new Uint8Array(offset + bytes.length)
        moved.set(bytes, offset)
        assert.deepEqual(rowTexts(decodeBlock(kind, moved.subarray(offset))), rowTexts(rows))
      }),
    )
  })

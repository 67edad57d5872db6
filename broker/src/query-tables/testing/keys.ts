import assert from 'node:assert/strict'
import type { PartnerId } from '@quipu/core'
import type { QueryTables } from '../query-tables.ts'
import type { Story } from './story.ts'

/** Checks that the owner of each key finds what is stored under it. */
export async function checkKeys({ state }: Story, queryTables: QueryTables): Promise<void> {
  assert.ok(state.keyedCalls.size > 0, 'the story has no keys')
  for (const [name, { call }] of state.keyedCalls) {
    const [partnerId, key] = [
      name.slice(0, name.indexOf('/')) as PartnerId,
      name.slice(name.indexOf('/') + 1),
    ]
    assert.deepEqual(await queryTables.callByKey(partnerId, key), call)
    assert.equal(await queryTables.callByKey(partnerId, `${key}0000000`), undefined)
    assert.equal(await queryTables.callByKey('another' as PartnerId, key), undefined)
  }
}

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type BrokerEvent, decode, encode } from '@quipu/core'
import { entryOf } from '../journal/stored-event.ts'
import { Projection } from './projection.ts'
import { SNAPSHOT_FORMAT } from './snapshot.ts'
import { TABLES_FORMAT } from './tables.ts'

// Files of an earlier version are used if they have the current format. So the format must be raised when the same
// events lead to other data. These digests per format detect that.
const states: Readonly<Record<number, string>> = {
  1: '25ada57eec2b00e16a74ed823319d597a1b1a477a7a9cb414fc5ac5645b774d3',
}
const rows: Readonly<Record<number, string>> = {
  1: 'b2628d792b4ef82ad2cf98f5a2ed8997a44ef9396b9dda6ac42ac827ded29542',
}

const entries = readFileSync(new URL('kept/story.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => entryOf(decode(line) as BrokerEvent))

const digest = (value: unknown): string => createHash('sha256').update(encode(value)).digest('hex')

test('a kept journal leads to the state of this snapshot format', () => {
  const projection = new Projection()
  projection.take(entries)
  assert.equal(
    digest(projection.state),
    states[SNAPSHOT_FORMAT],
    'events lead to a different state: raise SNAPSHOT_FORMAT in snapshot.ts and add the digest here',
  )
})

test('a kept journal leads to the rows of this table format', () => {
  const { orders, requests, history } = new Projection().take(entries)
  assert.ok(orders.length > 0 && requests.length > 0 && history.length > 0)
  assert.equal(
    digest([orders, requests, history]),
    rows[TABLES_FORMAT],
    'events lead to different rows: raise TABLES_FORMAT in tables.ts and add the digest here',
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsWithin, fewFiles } from './open-files.ts'

for (const [wanted, max, open, connections] of [
  [10_000, undefined, 50, 10_000],
  [10_000, 65_536, 50, 10_000],
  [10_000, 1024, 50, 768],
  [10_000, 1024, 300, 684],
  [10_000, 128, 45, 43],
  [10_000, 100, 45, 15],
  [10_000, 100, 90, 1],
  [20, 128, 45, 20],
] as const)
  test(`${wanted} connections, ${max} files of which ${open} are open: ${connections}`, () =>
    assert.equal(connectionsWithin(wanted, max, open), connections))

test('a server does not start with fewer than 100 files', () => {
  assert.match(fewFiles(99)!, /may open 99 files, expected at least 100.*ulimit -n.*LimitNOFILE/)
  assert.equal(fewFiles(100), undefined)
})

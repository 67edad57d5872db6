import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { programs, run } from './run-process.ts'

test('in a replay the clock waits for requests through the proxy, whole URLs and tunnels', async () => {
  const span = ['--from', '2026-01-05T15:00:00Z', '--to', '2026-01-07T15:00:00Z']
  const { code, stdout, stderr } = await run(span, [process.execPath, join(programs, 'proxied.cjs')])
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), Array(5).fill('10:00:00 15:00:00'))
  assert.match(stderr, /quipu run: 5 requests/)
  assert.match(stderr, /\(exact\)/)
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Body, call, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker, folder } from './folder-broker.ts'

const files = newFolder()

const run = (...line: string[]) => command([...line, '--data', folder, '--json'], { cwd: files })
async function ran(...line: string[]): Promise<Body> {
  const { code, stdout, stderr } = await run(...line)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}
const inFiles = (name: string) => join(files, name)

const created = await ran('world', 'create', 'friday', '--seed', '42')
const caller = {
  url: broker.url,
  keyId: created.accounts[0].key_id,
  secretKey: created.accounts[0].secret_key,
}
const order = { symbol: 'KO', qty: '10', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'day' }
const placed = await call(caller, 'POST', '/v2/orders', order)
const refused = await call(caller, 'POST', '/v2/orders', { ...order, limit_price: '1', qty: '99999999' })

test('the clock of a world is set, and advanced until an order ends', async () => {
  const set = await ran('clock', 'set', '2026-01-05T16:00:00Z', '--world', 'friday')
  assert.deepEqual([set.now, set.frozen], ['2026-01-05T16:00:00Z', true])
  const { id } = (await call(caller, 'POST', '/v2/orders', order)).body
  const fork = await ran('world', 'fork', 'later', '--world', 'friday')
  const moved = await ran('clock', 'advance', '--until', 'order_end', '--order', id, '--world', fork.world)
  assert.deepEqual([moved.reached, moved.orders_ended], [true, { expired: 2 }])
  const none = await run('clock', 'advance', '--order', id, '--world', fork.world)
  assert.deepEqual(
    [none.code, none.stderr],
    [2, 'quipu: clock advance: expected one of --by, --to and --until\n'],
  )
})

test('a world is saved to a file, loaded from it, and reset', async () => {
  const saved = await ran('world', 'save', 'friday')
  assert.equal(saved.file, inFiles('friday.quipu'))
  assert.equal(saved.hash, (await ran('audit', '--world', 'friday')).hash)
  const again = await run('world', 'save', 'friday')
  assert.deepEqual([again.code, /already exists/.test(again.stderr)], [1, true])
  const loaded = await ran('world', 'load', 'friday.quipu', 'copy')
  assert.deepEqual([loaded.world, loaded.seed], ['copy', '42'])
  assert.equal((await ran('world', 'reset', 'copy')).seq, loaded.seq)
  writeFileSync(inFiles('broken.quipu'), readFileSync(inFiles('friday.quipu')).subarray(0, 500))
  const broken = await run('world', 'load', 'broken.quipu')
  assert.deepEqual([broken.code, /its end is missing/.test(broken.stderr)], [4, true])
  assert.equal((await run('world', 'load', 'nothing.quipu')).code, 1)
})

test('a bundle has the explanation of an order or a request, without secrets, and loads as a world', async () => {
  const requestId = refused.headers.get('x-request-id')!
  for (const [id, summary] of [
    [placed.body.id, /buy 10 KO/],
    [requestId, /refused/],
  ] as const) {
    const { file } = await ran('bundle', id, '--world', 'friday')
    const bytes = readFileSync(file)
    const lines = bytes.toString('utf8').split('\n')
    const report = JSON.parse(lines[2]!)
    assert.equal(report.id, id)
    assert.match(report.explanation.summary, summary)
    assert.deepEqual(Object.keys(report.versions), ['quipu', 'node', 'platform'])
    assert.deepEqual([report.world.seed, report.world.fees], ['42', 'us'])
    for (const secret of [caller.secretKey, created.partner.secret_key]) assert.ok(!bytes.includes(secret))
    const { code, stdout, stderr } = await run('world', 'load', file)
    assert.equal(code, 0, stderr)
    const { world } = JSON.parse(stdout)
    assert.match(stderr, new RegExp(`quipu order explain ${id} --world ${world}`))
    if (id === placed.body.id)
      assert.equal((await ran('order', 'explain', id, '--world', world)).summary, report.explanation.summary)
  }
})

test('a bundle of an unknown id is refused and writes no file', async () => {
  const { code, stderr } = await run('bundle', 'f'.repeat(32), '--world', 'friday')
  assert.deepEqual([code, /no order, request or account/.test(stderr)], [4, true])
  assert.equal(existsSync(inFiles(`bundle-${'f'.repeat(32)}.quipu`)), false)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { contentOf } from '../store/sample-folder.ts'
import { call, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'
import { Random, seed } from '../support/random.ts'
import { assertAcknowledged, assertBalances, assertSound, settledOrders, tradeUpdates } from './checks.ts'
import { newClientRecords, startLoad } from './load.ts'

type Folder = { readonly path: string; close(): void; open(): void }

/** Root ignores the mode of a folder, so for root the folder is a file system that is mounted read-only. */
function closableFolder(t: TestContext): Folder | undefined {
  const path = newFolder()
  if (process.getuid?.() !== 0) {
    const mode = (bits: number) => () => {
      for (const entry of [path, ...readdirSync(path).map((name) => join(path, name))])
        if (statSync(entry).isDirectory()) chmodSync(entry, bits)
    }
    return { path, close: mode(0o500), open: mode(0o700) }
  }
  const mount = (...options: string[]) => execFileSync('mount', [...options, path], { stdio: 'pipe' })
  try {
    mount('-t', 'tmpfs', '-o', 'size=64m,mode=700', 'tmpfs')
  } catch (error) {
    t.skip(`this user cannot mount a file system: ${error}`)
    return undefined
  }
  t.after(() => execFileSync('umount', ['--lazy', path]))
  return { path, close: () => mount('-o', 'remount,ro'), open: () => mount('-o', 'remount,rw') }
}

async function assertVerified(path: string): Promise<void> {
  for (const line of [['audit'], ['store', 'verify']]) {
    const { code, stdout, stderr } = await command([...line, '--json', '--data', path])
    assert.equal(code, 0, `${line}: ${stdout} ${stderr}`)
    assert.equal(JSON.parse(stdout).sound, true)
  }
}

test('audit and verify work on a read-only folder, after a clean stop and after kill -9', async (t) => {
  const folder = closableFolder(t)
  if (!folder) return
  for (const end of ['stop', 'kill'] as const) {
    const broker = await startBroker(['--data', folder.path])
    for (const symbol of ['KO', 'MSFT', 'AAPL']) {
      const order = { symbol, qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
      assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
    }
    await broker[end]()
    assert.equal(existsSync(join(folder.path, 'query-tables.sqlite-wal')), end === 'kill')
    const before = contentOf(folder.path)
    folder.close()
    await assertVerified(folder.path)
    folder.open()
    assert.deepEqual(contentOf(folder.path), before)
  }
})

test('a read-only folder: the start fails with one line, and nothing is lost once the folder is writable again', async (t) => {
  const folder = closableFolder(t)
  if (!folder) return
  const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }
  const first = await startBroker(['--data', folder.path])
  const placed = await call(first, 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200)
  assert.equal(await first.stop(), 0)
  folder.close()
  const { code, stderr } = await quipu(['start', '--port', '0', '--data', folder.path])
  folder.open()
  assert.equal(code, 1)
  const line = `quipu: ${folder.path} cannot be written: `
  assert(stderr.startsWith(line) && stderr.trim().split('\n').length === 1, stderr)
  const again = await startBroker(['--data', folder.path])
  t.after(again.kill)
  const { body } = await call(again, 'GET', `/v2/orders/${placed.body.id}`)
  assert.deepEqual([body.id, body.status], [placed.body.id, 'new'])
})

const STOPS = process.env['KILLS'] === undefined ? 1 : 3

test(`SIGTERM under load loses nothing and leaves no request partly applied (SEED=${seed})`, async (t) => {
  const folder = newFolder()
  const records = newClientRecords()
  for (let round = 1; round <= STOPS; round++) {
    const random = new Random(seed, 'stop', round)
    const broker = await startBroker(['--data', folder])
    const received = await tradeUpdates(broker)
    const client = { broker, random, records, name: `r${round}` }
    const { ended } = await startLoad(client, random.integer(16, 64), random.integer(20, 200))
    await sleep(random.integer(0, 30))
    assert.equal(await broker.stop(), 0, broker.log())
    await ended
    const again = await startBroker(['--data', folder])
    t.after(again.kill)
    const current = await settledOrders(again)
    assertAcknowledged(records, current)
    assertUnansweredNotApplied(records.orders, current.orders)
    const ids = new Set(current.orders.map(({ id }) => id))
    for (const { order } of received) assert(ids.has(order.id), 'every order of the stream exists')
    await assertBalances(again, current)
    await assertSound(again)
    assert.equal(await again.stop(), 0)
  }
  const statuses = new Set([...records.orders.values()].map(({ status }) => status))
  assert(statuses.has(200) && records.cancels.size > 0, 'some orders and cancels were acknowledged')
  for (const status of statuses) assert([undefined, 200, 403, 404, 422, 503].includes(status), String(status))
})

/** A stop answers every accepted request, so an unanswered request was never applied. */
function assertUnansweredNotApplied(
  placed: ReadonlyMap<string, { readonly outcome: string }>,
  orders: readonly { readonly client_order_id: string }[],
): void {
  for (const { client_order_id: id } of orders)
    assert.notEqual(placed.get(id)?.outcome, 'unknown', `${id} was applied but got no response`)
}

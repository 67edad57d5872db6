import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createStreams } from '../../sdk/src/index.ts'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

const ADDRESS = '203.0.113.7'
const OTHER_ADDRESS = '2001:db8::66'

async function startServer(t: TestContext, folder: string): Promise<Broker> {
  const broker = await startBroker(['--data', folder], { QUIPU_TRUST_PROXY: 'on' })
  t.after(broker.kill)
  return broker
}

async function runJson(folder: string, line: string) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, 0, done.stderr)
  return JSON.parse(done.stdout)
}

async function placeOrder(broker: Broker, address: string): Promise<string> {
  const order = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    time_in_force: 'gtc',
    limit_price: '1',
  }
  const placed = await call(broker, 'POST', '/v2/orders', order, { 'x-forwarded-for': address })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  return placed.headers.get('x-request-id')!
}

/** The files of a folder that contain a text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(folder.length + 1))

test('the audit log survives kill -9; an erased address is in no file', async (t) => {
  const folder = newFolder()
  const first = await startServer(t, folder)
  const [request, otherRequest] = [await placeOrder(first, ADDRESS), await placeOrder(first, OTHER_ADDRESS)]
  await first.kill()

  const second = await startServer(t, folder)
  const shown = async (id: string) => {
    const [entry] = await runJson(folder, `audit-log --request ${id}`)
    return [entry.kind, entry.operation, entry.caller, entry.key_id, entry.address]
  }
  assert.deepEqual(await shown(request), ['orderAccepted', 'placeOrder', 'key', second.keyId, ADDRESS])
  assert.deepEqual(await shown(otherRequest), [
    'orderAccepted',
    'placeOrder',
    'key',
    second.keyId,
    OTHER_ADDRESS,
  ])
  const file = join(newFolder(), 'log.csv')
  const { rows } = await runJson(folder, `audit-log --caller ${second.keyId} --export ${file}`)
  assert.equal(rows, 2)
  assert.match(
    readFileSync(file, 'utf8'),
    new RegExp(`^number,at,kind.*\\r\\n.*,${ADDRESS}\\r\\n.*,${OTHER_ADDRESS}\\r\\n$`),
  )
  const again = await command(['audit-log', '--export', file, '--data', folder])
  assert.deepEqual([again.code, again.stderr], [1, `quipu: ${file}: already exists; choose a new file\n`])

  const backup = join(newFolder(), 'backup')
  await runJson(folder, `store backup ${backup}`)
  assert.deepEqual(await runJson(folder, `audit-log erase --address ${ADDRESS}`), { erased: 1 })
  assert.deepEqual(await shown(request), ['orderAccepted', 'placeOrder', 'key', second.keyId, undefined])
  await call(second, 'GET', '/v2/account')
  assert.equal(await second.stop(), 0)
  assert.deepEqual(filesWith(folder, ADDRESS), [])
  assert.equal(filesWith(folder, OTHER_ADDRESS).length, 1)
  assert.equal((await runJson(folder, 'store verify')).sound, true)
  assert.equal((await runJson(folder, 'audit')).sound, true)

  const third = await startServer(t, folder)
  assert.deepEqual(await shown(request), ['orderAccepted', 'placeOrder', 'key', third.keyId, undefined])
  assert.equal((await shown(otherRequest))[4], OTHER_ADDRESS)
  const keys = await runJson(folder, 'key list')
  const used = keys.find(({ key_id }: { key_id: string }) => key_id === third.keyId).last_used_at
  assert.ok(Date.now() - Date.parse(used) < 3_600_000 && used.endsWith(':00Z'), used)
  const streams = createStreams({ url: third.url, keyId: third.brokerKey, secretKey: third.brokerSecret })
  const query = { params: { world: 'main' }, query: { address: OTHER_ADDRESS } }
  const following = streams.listAuditLog(query)
  assert.equal((await following.next()).value?.request_id, otherRequest)
  const newest = await placeOrder(third, OTHER_ADDRESS)
  assert.equal((await following.next()).value?.request_id, newest)
  await following.return(undefined)

  const restored = join(newFolder(), 'restored')
  await runJson(restored, `store restore ${backup}`)
  assert.ok(filesWith(restored, ADDRESS).length > 0, 'a backup from before the erasure has the address')
})

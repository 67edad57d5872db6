import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createStreams } from '../sdk/src/index.ts'
import { type Broker, call, newFolder, startBroker } from './broker.ts'
import { command } from './quipu-command.ts'

const HERE = '203.0.113.7'
const ELSEWHERE = '2001:db8::66'

async function served(t: TestContext, folder: string): Promise<Broker> {
  const broker = await startBroker(['--data', folder], { QUIPU_TRUST_PROXY: 'on' })
  t.after(broker.kill)
  return broker
}

async function answer(folder: string, line: string) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, 0, done.stderr)
  return JSON.parse(done.stdout)
}

async function place(broker: Broker, address: string): Promise<string> {
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

/** The files of a folder that hold a text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(folder.length + 1))

test('who caused an event is known after a power cut; an erased address is nowhere', async (t) => {
  const folder = newFolder()
  const first = await served(t, folder)
  const [here, elsewhere] = [await place(first, HERE), await place(first, ELSEWHERE)]
  await first.kill()

  const second = await served(t, folder)
  const shown = async (request: string) => {
    const [entry] = await answer(folder, `audit-log --request ${request}`)
    return [entry.kind, entry.operation, entry.caller, entry.key_id, entry.address]
  }
  assert.deepEqual(await shown(here), ['orderAccepted', 'placeOrder', 'key', second.keyId, HERE])
  assert.deepEqual(await shown(elsewhere), ['orderAccepted', 'placeOrder', 'key', second.keyId, ELSEWHERE])
  const file = join(newFolder(), 'log.csv')
  const { rows } = await answer(folder, `audit-log --caller ${second.keyId} --export ${file}`)
  assert.equal(rows, 2)
  assert.match(
    readFileSync(file, 'utf8'),
    new RegExp(`^number,at,kind.*\\r\\n.*,${HERE}\\r\\n.*,${ELSEWHERE}\\r\\n$`),
  )
  const again = await command(['audit-log', '--export', file, '--data', folder])
  assert.deepEqual([again.code, again.stderr], [1, `quipu: ${file}: already exists; choose a new file\n`])

  const backup = join(newFolder(), 'backup')
  await answer(folder, `store backup ${backup}`)
  assert.deepEqual(await answer(folder, `audit-log erase --address ${HERE}`), { erased: 1 })
  assert.deepEqual(await shown(here), ['orderAccepted', 'placeOrder', 'key', second.keyId, undefined])
  await call(second, 'GET', '/v2/account')
  assert.equal(await second.stop(), 0)
  assert.deepEqual(filesWith(folder, HERE), [])
  assert.equal(filesWith(folder, ELSEWHERE).length, 1)
  assert.equal((await answer(folder, 'store verify')).sound, true)
  assert.equal((await answer(folder, 'audit')).sound, true)

  const third = await served(t, folder)
  assert.deepEqual(await shown(here), ['orderAccepted', 'placeOrder', 'key', third.keyId, undefined])
  assert.equal((await shown(elsewhere))[4], ELSEWHERE)
  const keys = await answer(folder, 'key list')
  const used = keys.find(({ key_id }: { key_id: string }) => key_id === third.keyId).last_used_at
  assert.ok(Date.now() - Date.parse(used) < 3_600_000 && used.endsWith(':00Z'), used)
  const streams = createStreams({ url: third.url, keyId: third.brokerKey, secretKey: third.brokerSecret })
  const asked = { params: { world: 'main' }, query: { address: ELSEWHERE } }
  const following = streams.listAuditLog(asked)
  assert.equal((await following.next()).value?.request_id, elsewhere)
  const later = await place(third, ELSEWHERE)
  assert.equal((await following.next()).value?.request_id, later)
  await following.return(undefined)

  const restored = join(newFolder(), 'restored')
  await answer(restored, `store restore ${backup}`)
  assert.ok(filesWith(restored, HERE).length > 0, 'a backup from before the erasure has the address')
})

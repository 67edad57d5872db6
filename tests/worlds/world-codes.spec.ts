import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { codeOfKeyId, codeOfSecret, worldCodes } from '../../broker/src/access/world-code.ts'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Body, call, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { codeOfNewCredentials, operatorToken } from './credentials.ts'
import { startUntilEnd } from './durable.ts'
import { callerOf, loaded, save, sim } from './files.ts'

const cluster = await Cluster.common()
after(() => cluster.stop())

/** The code of the keys and the app that a new world has from the start. */
function codeOfCreated({ accounts, partner, oauth_client: app }: Body): string {
  const code = codeOfKeyId(partner.key_id)
  for (const { key_id } of accounts) assert.equal(codeOfKeyId(key_id), code)
  if (app) assert.equal(codeOfSecret(app.client_id), code)
  return code
}

/** The rules of world codes, for a server with these flags. */
async function assertCodes(t: TestContext, flags: readonly string[]): Promise<void> {
  const folder = newFolder()
  const start = () => startUntilEnd(t, ['--data', folder, ...flags])
  const first = await start()
  for (const id of [first.keyId, first.brokerKey]) assert.match(id, /^[CP]K00[0-9A-Z]{16}$/)
  assert.match(first.oauthClientId, /^00[0-9a-f]{30}$/)
  assert.equal(new URL(first.signInUrl!).searchParams.get('once')!.slice(0, 2), '00')
  const { created: one } = await newWorld(first, { world: 'one', durable: true })
  const { created: two } = await newWorld(first, { world: 'two', durable: true })
  const { created: passing } = await newWorld(first, { world: 'passing' })
  const branch = (await sim(first, 'POST', 'one/fork', { world: 'branch', durable: true })).body
  const inMemory = (await sim(first, 'POST', 'one/fork', { world: 'in-memory' })).body
  const copy = await loaded(first, await save(first, 'one'), '?world=copy&durable=true')
  const durable = { one, two, branch, copy }
  const codes = Object.entries(durable).map(([world, created]) => [world, codeOfCreated(created)] as const)
  assert.equal(new Set(['00', ...codes.map(([, code]) => code)]).size, 5)
  for (const created of [passing, inMemory]) assert.equal(codeOfCreated(created), '00')
  const inMemoryToo = [['main', '00'] as const, ['passing', '00'] as const, ['in-memory', '00'] as const]
  for (const [world, code] of [...inMemoryToo, ...codes])
    assert.equal(await codeOfNewCredentials(first, world), code, world)
  // A token for another world has the code of the session, which is in main.
  assert.equal(codeOfSecret(await operatorToken(first, 'two')), '00')
  assert.equal((await sim(first, 'POST', 'one/reset', {})).status, 200)
  assert.equal(await codeOfNewCredentials(first, 'one'), codes[0]![1])
  await first.kill()

  const second = await start()
  for (const [world, code] of [['main', '00'] as const, ...codes])
    assert.equal(await codeOfNewCredentials(second, world), code, world)
  // A key from before the fork opens the parent.
  const { headers } = await call(callerOf(second, one), 'GET', '/v2/account')
  assert.equal(headers.get('x-quipu-world'), 'one')
  await second.stop()
}

test('credentials name their world by its code, with a data folder', (t) => assertCodes(t, []))

test('credentials name their world by its code, with PostgreSQL', { skip: !hasAllCases }, async (t) => {
  await assertCodes(t, ['--store', await cluster.database('codes')])
})

/** A key id in the form of a generated one. */
const keyIdWith = (code: string): string => `PK${code}CHOSENBYTHEOWNER`
const chosenKey = (keyId: string) => ({
  QUIPU_KEY_ID: keyId,
  QUIPU_SECRET_KEY: 'a-secret-that-the-owner-chose',
})

test('no world gets the code of a chosen key of main; without an unused code a durable world is refused', async (t) => {
  const url = await cluster.database('chosen')
  const [left, chosen, ...others] = worldCodes as readonly [string, string, ...string[]]
  const keyId = keyIdWith(chosen)
  const flags = ['--data', newFolder(), '--store', url, '--durable-worlds-max', '1295']
  const broker = await startBroker(flags, chosenKey(keyId))
  t.after(broker.kill)
  const values = others.map((code) => `('taken-${code.toLowerCase()}', '${code}')`)
  await cluster.run(`INSERT INTO quipu_worlds (world, code) VALUES ${values.join()}`, url)
  const { created, world } = await newWorld(broker, { durable: true })
  assert.equal(codeOfCreated(created), left)
  assert.equal((await call({ ...broker, keyId }, 'GET', '/v2/account')).headers.get('x-quipu-world'), 'main')
  const refused = await sim(broker, 'POST', '', { durable: true })
  assert.deepEqual([refused.status, refused.body.reason], [403, 'worldCodesUsed'])
  const forking = await sim(broker, 'POST', `${world}/fork`, { durable: true })
  assert.deepEqual([forking.status, forking.body.reason], [403, 'worldCodesUsed'])
  assert.equal((await sim(broker, 'POST', '', {})).status, 201)
})

test('a configured key with the code of a durable world stops the start, which names both', async (t) => {
  const flags = ['--data', newFolder()]
  const first = await startUntilEnd(t, flags)
  const { created } = await newWorld(first, { world: 'kept', durable: true })
  const code = codeOfCreated(created)
  await first.stop()
  await assert.rejects(
    startBroker(flags, chosenKey(keyIdWith(code))),
    new RegExp(`exited with 2: quipu: QUIPU_KEY_ID: ${keyIdWith(code)} has the code of the world kept`),
  )
  const broker = { QUIPU_BROKER_KEY: keyIdWith(code), QUIPU_BROKER_SECRET: 'a-secret-that-the-owner-chose' }
  await assert.rejects(startBroker(flags, broker), /QUIPU_BROKER_KEY: .* has the code of the world kept/)
  const other = worldCodes.find((one) => one !== code)!
  const second = await startBroker(flags, chosenKey(keyIdWith(other)))
  t.after(second.kill)
  assert.equal(second.keyId, keyIdWith(other))
})

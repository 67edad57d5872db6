import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createClient } from '@quipu/sdk'
import { type Broker, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { broker as shared, folder as sharedFolder } from './folder-broker.ts'

async function startServer(t: TestContext, folder: string): Promise<Broker> {
  const broker = await startBroker(['--data', folder])
  t.after(broker.stop)
  return broker
}

/** Runs a command on a folder and returns its JSON output. */
async function runJson(folder: string, line: string) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, 0, done.stderr)
  return JSON.parse(done.stdout)
}

test('quipu account: every verb works, and its effect survives kill -9', async (t) => {
  const folder = newFolder()
  const first = await startBroker(['--data', folder])
  const made = await runJson(folder, 'account create --cash 1000 --positions AAPL:3,KO:5 --name mine')
  const { id, key_id: keyId, secret_key: secretKey } = made
  assert.deepEqual([made.status, made.client_account_id], ['ACTIVE', 'mine'])
  const live = await runJson(folder, `account create --live --user ${first.userName}`)
  const { user_id: owner } = await runJson(folder, `user show ${first.userName}`)
  assert.deepEqual([live.flavour, live.user_id], ['live', owner])
  const listed = await runJson(folder, 'account list')
  assert(listed.some((one: { id: string }) => one.id === id))
  assert.equal((await runJson(folder, 'account list --query mine')).length, 1)
  assert.equal((await runJson(folder, `account deposit ${id} 50.25`)).amount, '50.25')
  assert.equal((await runJson(folder, `account withdraw ${id} 0.25`)).direction, 'OUTGOING')
  const line = `account deposit ${id} 5 --idempotency-key payday`
  const once = await runJson(folder, line)
  assert.deepEqual(await runJson(folder, line), once)
  await runJson(folder, `account withdraw ${id} 5`)
  const shown = await runJson(folder, `account show ${id}`)
  assert.deepEqual(
    shown.keys.map(({ key_id }: { key_id: string }) => key_id),
    [keyId],
  )
  const tooMuch = await command(['account', 'withdraw', id, '99999', '--data', folder])
  assert.deepEqual(
    [tooMuch.code, tooMuch.stderr],
    [4, 'quipu account withdraw: insufficient withdrawable cash (requested: 99999, available: 1050)\n'],
  )

  const before = createClient({ url: first.url, keyId, secretKey })
  assert.equal((await before.getAccount()).cash, '1050')
  const held = await before.listPositions()
  assert.deepEqual(held.map(({ symbol, qty }) => `${symbol} ${qty}`).sort(), ['AAPL 3', 'KO 5'])
  const positionsFile = join(folder, 'positions.json')
  writeFileSync(positionsFile, JSON.stringify(held.filter(({ symbol }) => symbol === 'KO')))
  await runJson(folder, `account reset ${id} --cash 7 --positions ${positionsFile}`)
  const blocked = await runJson(folder, `account block ${id} --what trading,transfers --reason review`)
  assert.deepEqual(
    blocked.blocks.map(({ block, reason }: Record<string, string>) => `${block} ${reason}`),
    ['trading review', 'transfers review'],
  )
  await first.kill()

  const again = await startServer(t, folder)
  const after = createClient({ url: again.url, keyId, secretKey })
  assert.equal((await after.getAccount()).cash, '7')
  assert.deepEqual(
    (await after.listPositions()).map(({ symbol, qty }) => `${symbol} ${qty}`),
    ['KO 5'],
  )
  const transfers = await callAsOperator(again, 'GET', `/v1/accounts/${id}/transfers`)
  assert.deepEqual(
    transfers.body.map(({ amount }: { amount: string }) => amount),
    ['5', '5', '0.25', '50.25'],
  )
  const restored = await after.getAccount()
  assert.deepEqual([restored.trading_blocked, restored.transfers_blocked], [true, true])
  assert.equal((await runJson(folder, `account unblock ${id}`)).blocks, undefined)
  const refused = await command(['account', 'close', id, '--data', folder])
  assert.match(refused.stderr, /account has positions \(1\) or open orders \(0\)/)
  assert.equal((await runJson(folder, `account close ${id} --empty`)).closed, true)
  assert.equal((await after.getAccount()).status, 'ACCOUNT_CLOSED')
  const audit = await callAsOperator(again, 'GET', '/sim/v1/worlds/main/audit')
  assert.equal(audit.body.sound, true)
})

test('quipu account --world acts as the first partner of that world', async () => {
  const { world, partner } = await newWorld(shared, { world: 'friday' })
  const { id } = await runJson(sharedFolder, `account create --cash 5 --world ${world}`)
  const accounts = await createClient(partner).listAccounts({})
  assert.equal(accounts[0]?.id, id)
  const inMain = await runJson(sharedFolder, 'account list')
  assert(!inMain.some((one: { id: string }) => one.id === id))
  // A partner key works only in its own world.
  const headers = { 'x-quipu-world': 'main' }
  await assert.rejects(createClient(partner).listAccounts({ headers }), { message: /world not found/ })
})

test('quipu partner: a second partner sees only its own accounts', async () => {
  const { url, accountId } = shared
  const made = await runJson(sharedFolder, 'partner create Acme')
  const client = createClient({ url, keyId: made.key_id, secretKey: made.secret_key })
  assert.deepEqual(await client.listAccounts(), [])
  const { id } = await client.createAccount({ body: { cash: '5' } })
  assert.deepEqual(
    (await client.listAccounts()).map((one) => one.id),
    [id],
  )
  const params = { account_id: accountId }
  await assert.rejects(client.getAccountById({ params }), { status: 404 })
  await assert.rejects(client.resetAccount({ params, body: {} }), { status: 404 })
  await assert.rejects(client.listPartners({ params: { world: 'main' } }), { status: 403 })
  const listed = await runJson(sharedFolder, 'partner list')
  assert.deepEqual(
    listed.map(({ name, accounts }: { name: string; accounts: number }) => [name, accounts]),
    [
      [listed[0].name, 2],
      ['Acme', 1],
    ],
  )
  assert((await runJson(sharedFolder, 'account list')).some((one: { id: string }) => one.id === id))
})

for (const [line, expected] of [
  ['account reset 1 --positions /nowhere.json', /--positions \/nowhere.json: ENOENT/],
  ['account deposit 1', /AMOUNT/],
] as const)
  test(`quipu ${line}`, async () => {
    const { code, stderr } = await command([...line.split(' '), '--url', 'http://127.0.0.1:1'])
    assert.equal(code, 2, stderr)
    assert.match(stderr, expected)
  })

test('an idempotency key is honoured after kill -9, and after a restart', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  const open = async (cash: string): Promise<string> =>
    (await callAsOperator(broker, 'POST', '/v1/accounts', { cash })).body.id
  const [from, to] = [await open('100'), await open('0')]
  const between = { from_account: from, to_account: to }
  const calls = [
    [`/v1/accounts/${from}/transfers`, { direction: 'OUTGOING', amount: '10' }],
    ['/v1/journals', { entry_type: 'JNLC', ...between, amount: '20' }],
    ['/v1/accounts', { cash: '3' }],
  ] as const
  const request = (path: string, body: object, key: string) =>
    callAsOperator(broker, 'POST', path, body, { 'Idempotency-Key': key })
  const first = []
  for (const [n, [path, body]] of calls.entries()) first.push((await request(path, body, `call-${n}`)).body)
  for (const ending of casesOf(['kill', 'stop'] as const)) {
    await broker[ending]()
    broker = await startBroker(['--data', folder])
    t.after(broker.kill)
    for (const [n, [path, body]] of calls.entries()) {
      const again = await request(path, body, `call-${n}`)
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
      assert.deepEqual(again.body, first[n])
      assert.equal((await request(path, { ...body, amount: '1', cash: '1' }, `call-${n}`)).status, 422)
    }
  }
  const { body: transfers } = await callAsOperator(broker, 'GET', `/v1/accounts/${from}/transfers`)
  const { body: journals } = await callAsOperator(broker, 'GET', `/v1/journals?from_account=${from}`)
  assert.deepEqual([transfers.length, journals.length], [1, 1])
  const audit = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')
  assert.equal(audit.body.sound, true)
})

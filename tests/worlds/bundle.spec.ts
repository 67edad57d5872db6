import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bytesOfId } from '../../broker/src/journal/stored-event.ts'
import { mintRequest, WALLET } from '../specification/stage.ts'
import { type Body, call, newFolder, newWorld } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { startUntilEnd } from './durable.ts'
import { callerOf, loaded, save, sim } from './files.ts'

const env = {
  QUIPU_URL: broker.url,
  QUIPU_BROKER_KEY: broker.brokerKey,
  QUIPU_BROKER_SECRET: broker.brokerSecret,
}

/** The details that a partner stores of a customer. */
const customer = (name: string) => ({
  contact: {
    email_address: `${name}@${name}-mail.example`,
    phone_number: `+1555${name}`,
    street_address: [`${name} street 7`],
    city: `${name}ville`,
  },
  identity: {
    given_name: name,
    family_name: `${name}son`,
    tax_id: `666-${name}`,
    date_of_birth: '1971-04-09',
  },
})

const world = await newWorld(broker, {})
const open = async (name: string): Promise<string> => {
  const response = await call(world.partner, 'POST', '/v1/accounts', customer(name))
  assert.equal(response.status, 200, JSON.stringify(response.body))
  const id = response.body.id as string
  const funds = {
    transfer_type: 'ach',
    direction: 'INCOMING',
    amount: '50000',
    additional_information: `for ${name}`,
  }
  assert.equal((await call(world.partner, 'POST', `/v1/accounts/${id}/transfers`, funds)).status, 200)
  return id
}
const [alda, brok] = [await open('alda'), await open('brok')]
const user = await sim(broker, 'POST', `${world.world}/users`, {
  name: 'brok-user',
  password: 'a long password 12',
})
assert.equal(user.status, 201, JSON.stringify(user.body))
const journal = (from: string, to: string, amount: string) =>
  call(world.partner, 'POST', '/v1/journals', {
    entry_type: 'JNLC',
    from_account: from,
    to_account: to,
    amount,
    description: `from ${from === alda ? 'alda' : 'brok'}`,
  })
for (const [from, to] of [
  [brok, alda],
  [alda, brok],
] as const)
  assert.equal((await journal(from, to, '1000')).status, 200)
const order = { symbol: 'AAPL', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }
const place = async (account: string, more: object = {}): Promise<Body> => {
  const path = `/v1/trading/accounts/${account}/orders`
  const { status, body } = await call(world.partner, 'POST', path, { ...order, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const [placed, other] = [await place(alda, { client_order_id: 'alda says hello' }), await place(brok)]
const far = { type: 'limit', limit_price: '1', time_in_force: 'gtc', client_order_id: 'alda waits' }
const waiting = await place(alda, far)
await world.advance('26h')

/** Runs `quipu bundle`, and returns its file. */
async function bundle(id: string, flags: readonly string[] = [], name = world.world) {
  const file = join(newFolder(), 'report.quipu')
  const { code, stderr } = await command(['bundle', id, file, '--world', name, ...flags], { env })
  return { code, stderr, bytes: code === 0 ? readFileSync(file) : Buffer.alloc(0) }
}

/** The explanation of the order in a world, without the name of the world and the numbers of its events. */
async function explain(name: string): Promise<Body> {
  const { body } = await sim(broker, 'GET', `${name}/orders/${placed.id}/explain`)
  assert(body.steps.length > 3, JSON.stringify(body))
  const steps = body.steps.map(({ number: _, ...step }: Body) => step)
  return { ...body, world: '', steps }
}

/** The words and ids that a file has. */
const found = (bytes: Buffer, words: readonly string[]) =>
  words.filter((word) => bytes.includes(word) || bytes.includes(bytesOfId(word)))

const wordsOf = (name: string) => [
  ...Object.values(customer(name).contact).flat(),
  ...Object.values(customer(name).identity),
]

for (const [of, id] of [
  ['an order', placed.id],
  ['an account', alda],
] as const)
  test(`a bug report of ${of} has no other customer, and no identity of its own`, async () => {
    const { code, stderr, bytes } = await bundle(id)
    assert.equal(code, 0, stderr)
    const others = [
      ...wordsOf('brok'),
      'brok',
      'brok-user',
      brok,
      other.id,
      user.body.user_id,
      world.accountId,
    ]
    assert.deepEqual(found(bytes, others), [])
    assert.deepEqual(found(bytes, [...wordsOf('alda'), 'alda']), [])
    assert.deepEqual(found(bytes, [alda, placed.id]), [alda, placed.id])

    const copy = await loaded(broker, bytes)
    assert.deepEqual(
      copy.accounts.map(({ account_id }: Body) => account_id),
      [alda],
    )
    assert.equal((await sim(broker, 'GET', `${copy.world}/audit`)).body.sound, true)
    const [{ key_id: keyId, secret_key: secretKey }] = copy.accounts
    const before = await call(world.partner, 'GET', `/v1/trading/accounts/${alda}/account`)
    const after = await call({ url: broker.url, keyId, secretKey }, 'GET', '/v2/account')
    for (const field of ['cash', 'equity', 'buying_power'])
      assert.equal(after.body[field], before.body[field], field)
    const [explained, original] = await Promise.all([explain(copy.world), explain(world.world)])
    assert.deepEqual(explained, original)
  })

test('the orders of a bug report have client order ids of their own, which differ', async () => {
  const { bytes } = await bundle(alda)
  const caller = callerOf(broker, await loaded(broker, bytes))
  const orders = (await call(caller, 'GET', '/v2/orders?status=all')).body as readonly Body[]
  assert.deepEqual(orders.map(({ id }) => id).toSorted(), [placed.id, waiting.id].toSorted())
  const ids = orders.map(({ client_order_id }) => client_order_id)
  assert.equal(new Set(ids).size, 2, JSON.stringify(ids))
  for (const name of ids) assert.match(name, /^client-order-\d+$/)
  const path = `/v2/orders:by_client_order_id?client_order_id=${ids[0]}`
  assert.equal((await call(caller, 'GET', path)).body.id, orders[0]!.id)
})

for (const [what, method, path, body] of [
  ['an order for an unknown symbol', 'POST', 'orders', { ...order, symbol: 'ALDASON' }],
  ['a close of an unknown symbol', 'DELETE', 'positions/ALDASON', undefined],
  ['a cancel of an unknown order', 'DELETE', 'orders/7a1dda50-0000-4000-8000-00000a1dda50', undefined],
  ['a read of an unknown asset', 'GET', 'positions/ALDASON', undefined],
] as const)
  test(`a bug report of ${what} does not repeat it`, async () => {
    const response = await call(world, method, `/v2/${path}`, body)
    assert.ok(response.status >= 400, JSON.stringify(response.body))
    const { code, stderr, bytes } = await bundle(response.headers.get('x-request-id')!)
    assert.equal(code, 0, stderr)
    assert.deepEqual(found(bytes, ['ALDASON', '7a1dda50-0000-4000-8000-00000a1dda50']), [])
    assert.ok(bytes.includes('"outcome":"refused"'))
  })

test('the whole world is in a bug report only with --whole-world', async () => {
  const { code, bytes } = await bundle(placed.id, ['--whole-world'])
  assert.equal(code, 0)
  assert.deepEqual(found(bytes, ['brokson', brok]), ['brokson', brok])
})

test('an account that exchanged shares with another cannot be separated, and the message says what to do', async () => {
  const shares = { entry_type: 'JNLS', from_account: alda, to_account: brok, symbol: 'AAPL', qty: '1' }
  assert.equal((await call(world.partner, 'POST', '/v1/journals', shares)).status, 200)
  const { code, stderr } = await bundle(placed.id)
  assert.equal(code, 4)
  assert.match(stderr, /shares .* another account.*--whole-world/)
})

test('a bug report of an account does not name other worlds', async (t) => {
  const server = await startUntilEnd(t, ['--data', newFolder()])
  const bank = await newWorld(server, { world: 'harbour-bank', durable: true, cash: '1000' })
  const fund = await newWorld(server, { world: 'fund', durable: true, cash: '1000', follows: 'harbour-bank' })
  const fork = await sim(server, 'POST', 'harbour-bank/fork', { world: 'copy' })
  assert.equal(fork.status, 201, JSON.stringify(fork.body))
  for (const [from, to, world] of [
    [fund, bank, 'harbour-bank'],
    [bank, fund, 'fund'],
  ] as const) {
    const [from_account, to_account] = [from.accountId, to.accountId]
    const cash = { entry_type: 'JNLC', amount: '1', from_account, to_account, to_world: world }
    const { status, body } = await call(from.partner, 'POST', '/v1/journals', cash)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await sim(server, 'GET', 'fund/audit')).status, 200)
  }
  for (const [world, { accountId }] of [
    ['fund', fund],
    ['copy', bank],
  ] as const) {
    const bytes = await save(server, world, `?report=${accountId}`)
    assert.deepEqual(found(bytes, ['harbour-bank']), [], world)
    const { world: copy } = await loaded(server, bytes)
    assert.equal((await sim(server, 'GET', `${copy}/audit`)).body.sound, true)
  }
})

test('an account with tokens is saved with its issuer, without its wallet', async () => {
  const minter = await newWorld(broker, {})
  assert.equal((await call(minter, 'POST', '/v2/orders', order)).status, 200)
  await minter.advance('1m')
  assert.equal((await call(minter, 'POST', '/v2/tokenization/mint', mintRequest)).status, 200)
  await minter.advance('1h')
  const { code, stderr, bytes } = await bundle(minter.accountId, [], minter.world)
  assert.equal(code, 0, stderr)
  assert.deepEqual(found(bytes, [WALLET]), [])
  const copy = await loaded(broker, bytes)
  assert.equal((await sim(broker, 'GET', `${copy.world}/audit`)).body.sound, true)
  const [{ key_id: keyId, secret_key: secretKey }] = copy.accounts
  const [request] = (await call({ url: broker.url, keyId, secretKey }, 'GET', '/v2/tokenization/requests'))
    .body
  assert.deepEqual([request.status, request.qty], ['completed', '1.5'])
})

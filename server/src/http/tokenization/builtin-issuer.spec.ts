import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, builtinIssuers, setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import { issuerTokens } from '@quipu/broker/issuer/external.ts'
import { newSigningKey } from '@quipu/broker/issuer/signature.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import { auditFaults, type Instant } from '@quipu/core'
import { type Called, call, openTestServer, type TestServer } from '../testing/server.ts'
import { issuerHandlers } from './issuers.ts'
import { requestControlHandlers } from './request-control.ts'
import { tokenizationHandlers } from './tokenization.ts'

type Test = { after(run: () => Promise<void>): void }
const chain = simulatedChain()
const WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'
const SIM = '/sim/v1/worlds/lab/tokenization'

/** A virtual world whose first account holds ten shares of AAPL and may mint. */
async function openServer(t: Test): Promise<TestServer> {
  const server = await openTestServer({
    handlers: {
      ...tokenizationHandlers({ chain }),
      ...issuerHandlers({ tokensOf: issuerTokens, newSigningKey, builtinIssuers }),
      ...requestControlHandlers({ chain }),
    },
    runJob: makeRunJob({ chain, issuer: builtinIssuer(chain) }),
  })
  t.after(async () => {
    assert.deepEqual(auditFaults(server.world.view), [])
    await server.close()
  })
  const { world, accountId } = server
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [accountId] })
  assert.ok((await decided(world, buy(world.view.accounts.get(accountId)!, 'AAPL', '10'))).ok)
  await advance(server, 1)
  return server
}

async function advance({ clock, world }: TestServer, seconds: number): Promise<void> {
  await clock.advance((clock.now() + BigInt(seconds) * 1_000_000_000n) as Instant)
  await world.commands.quiet()
}

const operate = (server: TestServer, route: string, body?: object): Promise<Called> => {
  const [method, path] = route.split(' ')
  return call(server, `${method} ${SIM}${path}`, { key: server.operatorKey, body })
}

async function setBehaviour(server: TestServer, body: object): Promise<void> {
  const { status, body: response } = await operate(server, 'PATCH /issuers/xstocks', body)
  assert.equal(status, 200, JSON.stringify(response))
}

const mint = (server: TestServer, wallet = WALLET): Promise<Called> =>
  call(server, 'POST /v2/tokenization/mint', {
    key: server.key,
    body: { underlying_symbol: 'AAPL', qty: '2', issuer: 'xstocks', network: 'base', wallet_address: wallet },
  })

/** Creates a mint and waits until nothing more happens without the clock. */
async function createMint(server: TestServer, wallet = WALLET): Promise<string> {
  const { status, body } = await mint(server, wallet)
  assert.equal(status, 200, JSON.stringify(body))
  await server.world.commands.quiet()
  return body.tokenization_request_id
}

/** The state of a request, held, late, and the shares of the participant. */
async function stateOf(server: TestServer, id: string): Promise<string> {
  const { body } = await operate(server, 'GET /requests?status=all')
  const one = body.find((row: { tokenization_request_id: string }) => row.tokenization_request_id === id)
  const shares = server.world.view.positions.get(server.accountId)?.get('AAPL' as never)?.quantity ?? 0n
  const words = [one.state, one.held ? 'held' : '', one.late ? 'late' : '', `${shares / 1_000_000_000n}`]
  return words.filter((word) => word !== '').join(' ')
}

/** The states of a mint under a behaviour, each after a number of seconds of the world. */
for (const [behaviour, ...states] of [
  [{}, [0, 'completed 8']],
  [{ delay_seconds: 30 }, [0, 'confirmed 8'], [29, 'confirmed 8'], [2, 'completed 8']],
  [{ outcome: 'reject_late' }, [0, 'rejected 10']],
  [
    { outcome: 'never' },
    [0, 'confirmed 8'],
    [3599, 'confirmed 8'],
    [2, 'confirmed late 8'],
    [999_999, 'confirmed late 8'],
  ],
  [{ outcome: 'late' }, [3599, 'confirmed 8'], [2, 'completed 8']],
  [
    { outcome: 'late', late_seconds: 7200, delay_seconds: 5 },
    [3601, 'confirmed late 8'],
    [3598, 'confirmed late 8'],
    [2, 'completed 8'],
  ],
  [{ outcome: 'hold' }, [0, 'received held 10'], [899, 'received held 10']],
  [{ outcome: 'never', wallets: { [WALLET]: 'complete' } }, [0, 'completed 8']],
  [{ wallets: { [WALLET.toUpperCase().replace('X', 'x')]: 'never' } }, [0, 'confirmed 8']],
  [{ wallets: { [WALLET]: 'late' }, late_seconds: 60 }, [59, 'confirmed 8'], [2, 'completed 8']],
] as const)
  test(`with ${JSON.stringify(behaviour)}, a mint is ${states.map(([, state]) => state).join(', ')}`, async (t) => {
    const server = await openServer(t)
    await setBehaviour(server, behaviour)
    const id = await createMint(server)
    for (const [seconds, state] of states) {
      await advance(server, seconds)
      assert.equal(await stateOf(server, id), state, `after ${seconds} s`)
    }
  })

for (const behaviour of [{ outcome: 'reject' }, { wallets: { [WALLET]: 'reject' } }])
  test(`with ${JSON.stringify(behaviour)}, a mint is refused and its shares are released`, async (t) => {
    const server = await openServer(t)
    await setBehaviour(server, behaviour)
    const { status, body } = await mint(server)
    assert.deepEqual([status, body.message], [400, 'Insufficient Eligibility: Client not eligible'])
    await server.world.commands.quiet()
    const { body: rows } = await operate(server, 'GET /requests?status=all')
    assert.equal(await stateOf(server, rows[0].tokenization_request_id), 'rejected 10')
  })

test('a behaviour of one wallet does not affect other wallets', async (t) => {
  const server = await openServer(t)
  await setBehaviour(server, { wallets: { [WALLET]: 'never' } })
  assert.equal(await stateOf(server, await createMint(server, 'another')), 'completed 8')
  assert.equal(await stateOf(server, await createMint(server)), 'confirmed 6')
})

/** Operator actions on a held mint, and on a mint with transferred shares. */
for (const [outcome, action, body, state] of [
  ['hold', 'complete', {}, 'completed 8'],
  ['hold', 'reject', { reason: 'not today' }, 'rejected 10'],
  ['hold', 'release', undefined, 'completed 8'],
  ['never', 'complete', { tx_hash: '0xabc' }, 'completed 8'],
  ['never', 'reject', { reason: 'not today' }, 'rejected 10'],
  ['never', 'hold', undefined, 'confirmed held 8'],
] as const)
  test(`with outcome ${outcome}, an operator may ${action} a mint: ${state}`, async (t) => {
    const server = await openServer(t)
    await setBehaviour(server, { outcome })
    const id = await createMint(server)
    await setBehaviour(server, {})
    const { status, body: response } = await operate(server, `POST /requests/${id}/${action}`, body)
    assert.equal(status, 200, JSON.stringify(response))
    await advance(server, 1)
    assert.equal(await stateOf(server, id), state)
    const { body: record } = await call(server, `GET /v2/tokenization/requests/${id}`, { key: server.key })
    assert.equal(record.status, /^(completed|rejected)/.exec(state)?.[0] ?? 'pending')
    if (body && 'tx_hash' in body) assert.equal(record.tx_hash, body.tx_hash)
  })

test('an operator requests a mint for an account, which owns and controls the request', async (t) => {
  const server = await openServer(t)
  await setBehaviour(server, { outcome: 'hold' })
  const { status, body } = await operate(server, 'POST /requests', {
    account_id: server.accountId,
    underlying_symbol: 'AAPL',
    qty: '3',
    issuer: 'xstocks',
    network: 'base',
    wallet_address: 'foreign',
  })
  assert.equal(status, 201, JSON.stringify(body))
  const { body: listed } = await call(server, 'GET /v2/tokenization/requests?status=pending', {
    key: server.key,
  })
  assert.deepEqual(
    listed.map((one: { wallet_address: string; qty: string }) => [one.wallet_address, one.qty]),
    [['foreign', '3']],
  )
  assert.equal(await stateOf(server, body.tokenization_request_id), 'received held 10')
})

const redeem = (server: TestServer, patch: object = {}): Promise<Called> =>
  operate(server, 'POST /redemptions', {
    account_id: server.accountId,
    issuer: 'xstocks',
    underlying_symbol: 'AAPL',
    qty: '1.5',
    network: 'base',
    ...patch,
  })

test('a simulated redemption returns the shares', async (t) => {
  const server = await openServer(t)
  await createMint(server)
  const { status, body } = await redeem(server, { qty: '2', wallet_address: WALLET, tx_hash: '0x77' })
  assert.equal(status, 201, JSON.stringify(body))
  await advance(server, 1)
  assert.equal(await stateOf(server, body.tokenization_request_id), 'completed 10')
  const { body: listed } = await call(server, 'GET /v2/tokenization/requests?type=redeem', {
    key: server.key,
  })
  assert.deepEqual(
    [listed[0].status, listed[0].tx_hash, listed[0].wallet_address],
    ['completed', '0x77', WALLET],
  )
})

test('with outcome hold, a redemption waits and its tokens are reserved', async (t) => {
  const server = await openServer(t)
  await createMint(server)
  await setBehaviour(server, { outcome: 'hold' })
  const { body } = await redeem(server)
  await advance(server, 10_000)
  assert.equal(await stateOf(server, body.tokenization_request_id), 'received held 8')
  assert.equal((await redeem(server)).status, 400)
  await operate(server, `POST /requests/${body.tokenization_request_id}/reject`, { reason: 'no' })
  await setBehaviour(server, {})
  await redeem(server)
  await advance(server, 1)
  assert.equal(await stateOf(server, body.tokenization_request_id), 'rejected 9')
})

for (const [what, patch, status] of [
  ['more tokens than there are', { qty: '2.1' }, 400],
  ['tokens of another network', { network: 'solana', wallet_address: WALLET }, 400],
  ['tokens of an unknown share', { underlying_symbol: 'ZZZZ' }, 422],
  ['tokens of an unknown issuer', { issuer: 'ondo' }, 404],
] as const)
  test(`a redemption of ${what} is refused with ${status}`, async (t) => {
    const server = await openServer(t)
    await createMint(server)
    const before = server.world.view.seq
    const { status: received, body } = await redeem(server, patch)
    assert.equal(received, status, JSON.stringify(body))
    assert.equal(server.world.view.seq, before)
  })

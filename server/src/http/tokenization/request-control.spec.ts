import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { auditFaults, forget, type State } from '@quipu/core'
import { openTokenStage, plainMint, WALLET } from './testing/issuers.ts'

type Step = {
  readonly state: string
  readonly number: number
  readonly kind: string
  readonly asset: string
}

const stage = await openTokenStage({ after })
const { accountId, otherId, operatorKey, st0x, world, externalIssuer } = stage
const sim = '/sim/v1/worlds/lab'
const operator = (route: string, body?: unknown) => {
  const [method, path] = route.split(' ')
  return stage.as(operatorKey, `${method} ${sim}/${path}`, { body })
}
const change = (id: string, to: string, body?: object) =>
  operator(`POST tokenization/requests/${id}/${to}`, body)
const inject = (patch: object = {}) =>
  operator('POST tokenization/requests', { ...plainMint, qty: '0.1', account_id: accountId, ...patch })
const callback = (id: string) =>
  stage.as(st0x.key, `POST /v1/accounts/${st0x.accountId}/tokenization/callback/mint`, {
    body: { tokenization_request_id: id, tx_hash: '0xabc' },
  })

test('an operator injects a request for an account and reads its internal state', async () => {
  const { status, body } = await inject({ client_request_id: 'foreign' })
  assert.equal(status, 201, JSON.stringify(body))
  await world.commands.quiet()
  const id = body.tokenization_request_id
  const [record] = (await operator('GET tokenization/requests')).body
  assert.deepEqual(
    [
      record.tokenization_request_id,
      record.account_id,
      record.status,
      record.state,
      record.held,
      record.late,
      record.tokens,
    ],
    [id, accountId, 'pending', 'confirmed', false, false, '0.1'],
  )
  const own = (await stage.as(stage.key, 'GET /v2/tokenization/requests')).body
  assert.equal(own[0].client_request_id, 'foreign')
  assert.ok(!('state' in own[0]) && !('held' in own[0]))
  assert.equal((await callback(id)).status, 200)
  assert.deepEqual((await operator('GET tokenization/requests')).body, [])
  assert.equal((await operator('GET tokenization/requests?status=all')).body[0].state, 'completed')
})

test('a request has the time of each state, its events and its postings', async () => {
  const { body } = await inject()
  const id = body.tokenization_request_id
  await world.commands.quiet()
  await stage.advance(5)
  await callback(id)
  const response = await operator(`GET tokenization/requests/${id.toUpperCase()}`)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  const { request, steps, events, postings } = response.body
  const states = ['received', 'validating', 'issuer_accepted', 'transferred', 'confirmed', 'completed']
  assert.deepEqual(
    steps.map(({ state }: Step) => state),
    states,
  )
  assert.deepEqual(
    [request.state, request.created_at, request.updated_at],
    ['completed', steps[0].at, steps[5].at],
  )
  assert.ok(Date.parse(steps[5].at) - Date.parse(steps[4].at) >= 5000, 'the issuer called five seconds later')
  const byNumber = new Map(events.map((event: Step & { kind: string }) => [event.number, event.kind]))
  assert.deepEqual(
    steps.map(({ number }: Step) => byNumber.get(number)),
    ['mintRequested', 'jobStarted', 'mintAccepted', 'mintTransferred', 'mintConfirmed', 'mintCompleted'],
  )
  assert.deepEqual([typeof steps[0].request_id, steps[1].request_id], ['string', undefined])
  const { body: listed } = await operator(`GET events?tokenization_request_id=${id}`)
  assert.deepEqual(listed.events, events)
  const { body: legs } = await operator(`GET postings?tokenization_request_id=${id}`)
  assert.deepEqual(legs.postings, postings)
  const moved = postings.find(({ kind, asset }: Step) => kind === 'mintTransferred' && asset === 'AAPL')
  assert.deepEqual([moved.symbol, moved.qty, moved.tokenization_request_id], ['AAPL', '0.1', id])
  const none = await operator('GET tokenization/requests/00000000-0000-4000-8000-000000000000')
  assert.equal(none.status, 404)
  assert.equal((await operator('GET tokenization/requests/x')).status, 422)
})

test('a request that has ended cannot be changed, also when memory has released it', async () => {
  const { body } = await inject()
  const id = body.tokenization_request_id
  await world.commands.quiet()
  await callback(id)
  for (let round = 0; round < 2; round++) {
    for (const to of ['complete', 'reject', 'hold', 'release']) {
      const { status, body } = await change(id, to, {})
      assert.deepEqual([status, body.reason], [409, 'tokenizationRequestEnded'], to)
    }
    await world.storage.queryTables.reached(world.engine.durable)
    forget(world.view as State, world.storage.queryTables.position())
    assert.equal(world.view.requests.has(id), false)
  }
})

test('a mint that completes at once is returned', async () => {
  for (let made = 0; made < 10; made++) {
    const { status, body } = await inject({ issuer: 'xstocks', qty: '0.01' })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.issuer, 'xstocks')
    await world.commands.quiet()
  }
})

test('a simulated redemption with a built-in issuer completes at once', async () => {
  await inject({ issuer: 'xstocks', qty: '1' })
  await world.commands.quiet()
  const before = stage.sharesOf()
  const body = { account_id: accountId, issuer: 'xstocks', underlying_symbol: 'AAPL', network: 'base' }
  for (const qty of ['0.25', '0.50', '0.25']) {
    const redeemed = await operator('POST tokenization/redemptions', { ...body, qty })
    assert.deepEqual([redeemed.status, redeemed.body.type, redeemed.body.qty], [201, 'redeem', qty])
    assert.equal(redeemed.body.wallet_address, WALLET, 'the wallet of the mint')
    await world.commands.quiet()
  }
  assert.equal(stage.sharesOf() - before, 1_000_000_000n)
  const hash = `0x${'7'.repeat(64)}`
  await inject({ issuer: 'xstocks', qty: '1' })
  await world.commands.quiet()
  const named = { ...body, qty: '0.5', tx_hash: hash, wallet_address: WALLET }
  assert.equal((await operator('POST tokenization/redemptions', named)).body.tx_hash, hash)
  await world.commands.quiet()
  const { seq } = world.view
  for (const [patch, status] of [
    [named, 422],
    [{ ...body, qty: '500' }, 400],
    [{ ...body, qty: '0.0000000001' }, 400],
    [{ ...body, qty: '0.5', issuer: 'st0x' }, 409],
    [{ ...body, qty: '0.5', issuer: 'coinbase' }, 404],
    [{ ...body, qty: '0.5', network: 'bsc' }, 422],
    [{ ...body, qty: '0.5', network: 'ton', wallet_address: WALLET }, 400],
    [{ ...body, qty: '0.5', network: 'ton' }, 422],
    [{ ...body, qty: '0.5', underlying_symbol: 'ZZZZ' }, 422],
    [{}, 422],
  ] as const) {
    const refused = await operator('POST tokenization/redemptions', patch)
    assert.equal(refused.status, status, JSON.stringify([patch, refused.body]))
  }
  assert.equal(world.view.seq, seq)
})

test('an operator completes, rejects, holds and releases requests in each state', async () => {
  const before = stage.sharesOf()
  externalIssuer.respond = ({ route }) => (route === 'POST /mint' ? { status: 503 } : undefined)
  const heldId = (await inject()).body.tokenization_request_id
  assert.deepEqual((await change(heldId, 'hold')).body.held, true)
  const [job] = (await operator('GET jobs')).body
  assert.deepEqual([job.kind, job.parked, job.attempts], ['mint', true, 1])
  assert.match(job.problem, /503$/)
  assert.equal((await callback(heldId)).status, 400, 'its shares have not moved')
  externalIssuer.respond = () => undefined
  await stage.advance(60)
  assert.equal(world.view.requests.get(heldId)?.status, 'validating', 'a held request does not continue')
  assert.equal((await change(heldId, 'release')).body.held, false)
  await stage.advance(1)
  assert.equal(world.view.requests.get(heldId)?.status, 'confirmed')

  await change(heldId, 'hold')
  const held = await callback(heldId)
  assert.deepEqual([held.status, held.body.message], [400, 'the request is held'])
  const rejected = await change(heldId, 'reject', { reason: 'no longer wanted' })
  assert.deepEqual([rejected.body.status, rejected.body.reason], ['rejected', 'no longer wanted'])
  assert.equal(stage.sharesOf(), before, 'the shares are returned')
  await world.commands.quiet()
  const { body: report } = externalIssuer.requests.at(-1)!
  assert.deepEqual(
    [report.tokenization_request_id, report.status, report.reason],
    [heldId, 'rejected', 'no longer wanted'],
  )

  const done = (await inject()).body.tokenization_request_id
  const completed = await change(done, 'complete', { tx_hash: '0x1' })
  assert.deepEqual([completed.body.status, completed.body.tx_hash], ['completed', '0x1'])
  assert.deepEqual((await operator('GET jobs')).body, [])
  assert.deepEqual(auditFaults(world.view), [])
})

test('an operator cannot change an ended or unknown request', async () => {
  const { tokenization_request_id: id } = (await inject()).body
  await world.commands.quiet()
  await change(id, 'complete', {})
  const { seq } = world.view
  const unknown = '00000000-0000-4000-8000-000000000000'
  for (const to of ['complete', 'reject', 'hold', 'release'])
    for (const [requestId, statuses] of [
      [id, [404, 409]],
      [unknown, [404]],
      ['7', [422]],
    ] as const) {
      const { status } = await change(requestId, to, {})
      assert.ok((statuses as readonly number[]).includes(status), `${to} of ${requestId}: ${status}`)
    }
  assert.equal(world.view.seq, seq)
})

for (const [when, patch, status] of [
  ['an unknown account', { account_id: '00000000-0000-4000-8000-000000000000' }, 404],
  ['a malformed account id', { account_id: '7' }, 422],
  ['more shares than held', { qty: '1000' }, 400],
  ['ten decimals', { qty: '0.0000000001' }, 400],
  ['an issuer without a link to the account', { account_id: otherId, issuer: 'ondo' }, 400],
  ['no wallet', { wallet_address: '' }, 422],
] as const)
  test(`a request injected with ${when}: ${status}`, async () => {
    const { seq } = world.view
    const { status: received, body } = await inject(patch)
    assert.equal(received, status, JSON.stringify(body))
    assert.equal(world.view.seq, seq)
  })

test('an account id may be in upper case', async () => {
  const { status, body } = await inject({ account_id: accountId.toUpperCase() })
  assert.deepEqual([status, body.account_id], [201, accountId])
})

test('many requests at once are all returned, also those that end before the response', async () => {
  const body = { account_id: accountId, issuer: 'xstocks', underlying_symbol: 'AAPL', network: 'base' }
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0
        ? inject({ issuer: 'xstocks', qty: '0.01' })
        : operator('POST tokenization/redemptions', { ...body, qty: '0.001' }),
    ),
  )
  for (const { status, body: response } of all) assert.equal(status, 201, JSON.stringify(response))
})

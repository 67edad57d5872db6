import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator, newWorld } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CONFIRM, type IssuerServerResponse, MINT } from './issuer-server.ts'
import {
  addIssuer,
  assertSound,
  callback,
  jobs,
  keyFor,
  legs,
  mint,
  mintBody,
  openStage,
  request,
  sharesOf,
} from './stage.ts'
import { signatureFault } from './verify-signature.ts'

const links = '/sim/v1/worlds/main/tokenization/links'

test('every call to an issuer has a valid RFC 9421 signature, checked by independent code', async (t) => {
  const { broker, issuer, created, side } = await openStage(t, undefined, {})
  const { signing_key_id: keyId, public_key: publicKey } = created
  await callAsOperator(broker, 'POST', links, {
    account_id: broker.accountId,
    issuer: 'st0x',
    email: 'ap@example.org',
  })
  await waitUntil('the account is linked', async () => {
    return (await callAsOperator(broker, 'GET', links)).body.some(isLinked)
  })
  const { body } = await mint(broker)
  await waitUntil('the mint is confirmed', () => issuer.to(CONFIRM).length === 1)
  assert.deepEqual(
    issuer.calls.map(({ method, path }) => `${method} ${path}`),
    ['GET /tokenized-assets', 'POST /accounts/connect', `POST ${MINT}`, `POST ${CONFIRM}`],
  )
  const nowSeconds = Date.now() / 1000
  const trust = { keyId, publicKey, nowSeconds }
  for (const made of issuer.calls) {
    assert.equal(signatureFault(made, trust), undefined, made.path)
    assert.equal(made.headers['x-api-key'], undefined)
  }
  const nonces = issuer.calls.map(
    ({ headers }) => /nonce="(\w+)"/.exec(String(headers['signature-input']))![1],
  )
  assert.equal(new Set(nonces).size, 4)

  const [made] = issuer.to(MINT)
  const changed = Buffer.from(String(made!.body).replace('1.5', '9.5'))
  for (const [patch, fault] of [
    [{ body: changed }, /digest/],
    [{ method: 'PUT' }, /signature/],
    [{ url: `${made!.url}?admin=1` }, /signature/],
    [{ headers: { ...made!.headers, 'content-type': 'text/plain' } }, /signature/],
    [{ headers: { ...made!.headers, 'content-digest': 'sha-256=:AAAA:' } }, /signature/],
  ] as const)
    assert.match(signatureFault({ ...made!, ...patch }, trust) ?? 'nothing', fault)

  assert.equal(made!.json.client_external_account_id, 'client of ap@example.org')
  assert.equal((await callback(broker, side, body.tokenization_request_id)).body.status, 'completed')
  await assertSound(broker)
})

const isLinked = (link: { kind: string; state: string }) =>
  link.kind === 'handshake' && link.state === 'linked'

test('calls have the API key of the issuer, and a refusal at each step returns the shares', async (t) => {
  const { broker, issuer, side } = await openStage(t)
  const reason = 'Invalid Wallet: Wallet does not belong to client'
  issuer.respond = ({ path }) =>
    path === MINT ? { status: 400, body: { error: reason, status: 400 } } : undefined
  const refused = await mint(broker)
  assert.deepEqual([refused.status, refused.body.message], [400, reason])
  const [first] = (await call(broker, 'GET', '/v2/tokenization/requests')).body
  assert.deepEqual([first.status, await sharesOf(broker)], ['rejected', '10'])
  assert.deepEqual(await legs(broker, first.tokenization_request_id), [], 'no shares moved')

  issuer.respond = ({ path }) => (path === CONFIRM ? { status: 422, body: { error: 'paused' } } : undefined)
  const { tokenization_request_id: id } = (await mint(broker)).body
  await waitUntil('the request is rejected', async () => (await request(broker, id)).status === 'rejected')
  assert.equal(await sharesOf(broker), '10')
  assert.deepEqual(await legs(broker, id), ['-1.5', '1.5'])
  const { accountId, ...key } = side
  assert.deepEqual(await legs(await keyFor(broker, accountId), id), ['1.5', '-1.5'])
  const issuerRequests = await call(
    { url: broker.url, ...key },
    'GET',
    `/v1/accounts/${accountId}/tokenization/requests`,
  )
  assert.deepEqual(
    issuerRequests.body.map((one: { status: string }) => one.status),
    ['rejected', 'rejected'],
  )
  assert.equal((await callback(broker, side, id)).status, 400)
  for (const { headers } of issuer.calls) assert.equal(headers['x-api-key'], 'shared')
  assert.equal(issuer.to(CONFIRM).length, 1, 'a refusal is not retried')
  await assertSound(broker)
})

test('a callback may arrive before the confirm response and be repeated, but not changed', async (t) => {
  const { broker, issuer, side } = await openStage(t)
  let answer = (_: IssuerServerResponse) => undefined as unknown
  issuer.respond = ({ path }) =>
    path === CONFIRM
      ? new Promise((resolve) => {
          answer = resolve
        })
      : undefined
  const { tokenization_request_id: id } = (await mint(broker)).body
  await waitUntil('the mint is confirmed', () => issuer.to(CONFIRM).length === 1)
  const [one, two] = await Promise.all([callback(broker, side, id), callback(broker, side, id)])
  assert.deepEqual([one.status, one.body], [200, two.body])
  answer({ status: 400, body: { error: 'too late to say no' } })
  const other = await callback(broker, side, id, '0xdef')
  assert.deepEqual([other.status, other.body.code], [400, 40010000])
  await waitUntil('no job is left', async () => (await jobs(broker)).length === 0)
  const { status, tx_hash: txHash } = await request(broker, id)
  assert.deepEqual([status, txHash, await sharesOf(broker)], ['completed', '0xabc', '8.5'])
  assert.deepEqual(await legs(broker, id), ['-1.5'])
  await assertSound(broker)
})

test('in a virtual world a failed mint call is retried, listed as a job, and given up after 15 minutes', async (t) => {
  const { broker, issuer } = await openStage(t)
  const virtual = await newWorld(broker, { seed: 'issuer', hours: 'always', start: '2026-11-02T15:00:00Z' })
  const { world } = virtual
  await addIssuer(broker, world, { issuer: 'st0x', api_key: 'shared', ...issuer.urls })
  await call(virtual, 'POST', '/v2/orders', {
    symbol: 'AAPL',
    qty: '10',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  await virtual.advance('1s')
  const responses: readonly IssuerServerResponse[] = [
    { status: 500 },
    { status: 200, body: '<html>' },
    { status: 302, headers: { location: `${issuer.url}${CONFIRM}` } },
    { status: 429 },
  ]
  let calls = 0
  issuer.calls.length = 0
  issuer.respond = ({ path }) => (path === MINT ? responses[calls++ % responses.length] : undefined)
  const { body, status } = await call(virtual, 'POST', '/v2/tokenization/mint', mintBody)
  assert.deepEqual([status, body.status], [200, 'pending'])
  const problems: string[] = []
  for (const minutes of [1, 5, 8]) {
    const [job] = await jobs(broker, world)
    assert.equal(job.attempts, calls)
    problems.push(job.problem)
    await virtual.advance(`${minutes}m`)
  }
  assert.match(problems.join('\n'), /answered 500\n/)
  // 1, 2, 4, 8, 16, 32, 64, 128 seconds, then five minutes each.
  assert.ok(calls >= 8 && calls <= 11, `${calls} calls in fourteen minutes`)
  assert.equal(new Set(issuer.to(MINT).map(({ body: sent }) => String(sent))).size, 1)
  assert.equal((await request(virtual, body.tokenization_request_id)).status, 'pending')
  assert.equal(await sharesOf(virtual), '10')
  await virtual.advance('2m')
  assert.equal((await request(virtual, body.tokenization_request_id)).status, 'rejected')
  assert.deepEqual(await jobs(broker, world), [])
  assert.deepEqual(await legs(virtual, body.tokenization_request_id), [])
  const [confirm] = issuer.to(CONFIRM)
  assert.deepEqual(
    [confirm!.json.status, confirm!.json.tokenization_request_id, confirm!.json.issuer_request_id],
    ['rejected', body.tokenization_request_id, undefined],
    'the issuer may have accepted the mint',
  )
  issuer.calls.length = 0

  // A confirm is never given up, because the shares have moved.
  issuer.respond = ({ path }) => (path === CONFIRM ? { status: 503 } : undefined)
  const { body: second } = await call(virtual, 'POST', '/v2/tokenization/mint', mintBody)
  await virtual.advance('2h')
  const [job] = await jobs(broker, world)
  assert.deepEqual([job.kind, job.tokenization_request_id], ['confirm', second.tokenization_request_id])
  assert.match(job.problem, /answered 503$/)
  assert.ok(job.attempts > 20)
  issuer.respond = () => undefined
  await virtual.advance('10m')
  assert.deepEqual([await jobs(broker, world), await sharesOf(virtual)], [[], '8.5'])
  assert.equal(new Set(issuer.to(CONFIRM).map(({ body: sent }) => String(sent))).size, 1)
  await assertSound(broker, world)
})

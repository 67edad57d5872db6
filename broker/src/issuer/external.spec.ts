import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { openExternalIssuer } from '@quipu/server/http/tokenization/testing/external-issuer.ts'
import { externalIssuer, type IssuerAddress, IssuerUnreachable } from './external.ts'
import type { MintNotification } from './issuer.ts'
import { issuerSuite, mintRequest } from './testing/issuer-suite.ts'

const issuerServer = await openExternalIssuer()
after(() => issuerServer.close())
beforeEach(() => {
  issuerServer.respond = () => undefined
})
const { url } = issuerServer
const address: IssuerAddress = {
  urls: {
    mint: `${url}/mint`,
    confirm: `${url}/confirm`,
    connect: `${url}/connect`,
    custody: `${url}/custody/{underlying_symbol}?of=us`,
  },
  auth: 'apiKey',
  apiKey: 'key',
}
const issuer = externalIssuer(address)
issuerSuite('an external issuer', () => issuer)

const { requestId, participant } = mintRequest
const notification: MintNotification = {
  requestId,
  issuer: mintRequest.issuer,
  issuerRequestId: 'i-1',
  participant,
}

for (const [status, body, reason] of [
  [400, { error: 'Invalid Wallet: Wallet does not belong to client', status: 400 }, /^Invalid Wallet/],
  [422, { message: 'unparsable address' }, /^unparsable address$/],
  [401, 'no JSON', /^the issuer answered 401$/],
  [403, '', /^the issuer answered 403$/],
  [404, { error: 7 }, /^the issuer answered 404$/],
  [409, { error: 'x'.repeat(9000) }, /^x{500}$/],
] as const)
  test(`a response of ${status} rejects a mint and a confirmation`, async () => {
    issuerServer.respond = () => ({ status, body })
    for (const response of [await issuer.mint(mintRequest), await issuer.confirm(notification)]) {
      assert.ok(!response.ok)
      assert.match(response.reason, reason)
    }
  })

for (const [when, response, error] of [
  ['500', { status: 500 }, /answered 500/],
  ['503', { status: 503, body: { error: 'later' } }, /answered 503/],
  ['429', { status: 429 }, /answered 429/],
  ['a redirect', { status: 307, headers: { location: `${url}/elsewhere` } }, /fetch failed/],
  ['a response that is too long', { status: 200, body: 'x'.repeat(1_100_000) }, /too long/],
] as const)
  test(`no response, to a mint and to a confirmation: ${when}`, async () => {
    issuerServer.requests.length = 0
    issuerServer.respond = () => response
    await assert.rejects(issuer.mint(mintRequest), error)
    await assert.rejects(issuer.confirm(notification), error)
    assert.deepEqual(
      issuerServer.requests.map(({ route }) => route),
      ['POST /mint', 'POST /confirm'],
      'redirects are not followed',
    )
  })

for (const [when, body] of [
  ['no JSON', '<html>'],
  ['nothing', ''],
  ['an array', []],
  ['no id', { status: 'created' }],
  ['an empty id', { issuer_request_id: '' }],
  ['a number for an id', { issuer_request_id: 7 }],
  ['an id that is too long', { issuer_request_id: 'x'.repeat(257) }],
  ['an id with a line break', { issuer_request_id: 'a\nb' }],
] as const)
  test(`an accepted mint with ${when} counts as no response`, async () => {
    issuerServer.respond = () => ({ status: 200, body })
    await assert.rejects(issuer.mint(mintRequest), /answered without issuer_request_id/)
    assert.equal((await issuer.confirm(notification)).ok, true, 'a confirmation needs no body')
  })

for (const [body, reason] of [
  [{ issuer_request_id: 'i-1', status: 'rejected', reason: 'not today' }, 'not today'],
  [{ issuer_request_id: 'i-1', status: 'failed', error: 'no such wallet' }, 'no such wallet'],
  [{ status: 'error', message: 'later, perhaps' }, 'later, perhaps'],
  [{ issuer_request_id: 'i-1', status: 'DENIED' }, 'the issuer answered with status DENIED'],
] as const)
  test(`200 with status ${body.status} rejects a mint and a confirmation`, async () => {
    issuerServer.respond = () => ({ status: 200, body })
    assert.deepEqual(await issuer.mint(mintRequest), { ok: false, reason })
    assert.deepEqual(await issuer.confirm(notification), { ok: false, reason })
  })

for (const status of ['pending', 'Created', 'completed', '', 7, true, {}])
  test(`a mint with status ${JSON.stringify(status)} is neither accepted nor rejected`, async () => {
    issuerServer.respond = () => ({ status: 200, body: { issuer_request_id: 'i-1', status } })
    await assert.rejects(issuer.mint(mintRequest), /answered with status/)
    assert.equal((await issuer.confirm(notification)).ok, true, 'any status but a refusal confirms')
  })

for (const status of ['created', null, undefined])
  test(`a mint with status ${status} is accepted`, async () => {
    issuerServer.respond = () => ({ status: 200, body: { issuer_request_id: 'i-1', status } })
    assert.deepEqual(await issuer.mint(mintRequest), { ok: true, issuerRequestId: 'i-1' })
  })

for (const doubt of [
  { error: 'nope' },
  { error: { code: 7 } },
  { errors: ['nope'] },
  { success: false },
  { success: 'false' },
  { success: 0 },
  { success: 'no' },
  { status: 'created', error: 'nope' },
])
  test(`a mint with ${JSON.stringify(doubt)} is neither accepted nor rejected`, async () => {
    issuerServer.respond = () => ({ status: 200, body: { issuer_request_id: 'i-1', ...doubt } })
    await assert.rejects(issuer.mint(mintRequest), IssuerUnreachable)
  })

test('a mint with empty fields for errors is accepted', async () => {
  for (const none of [
    { error: null, success: true },
    { error: '', errors: [] },
    { error: false, errors: {} },
    { success: 'true' },
    { success: null },
    { success: 1 },
  ]) {
    issuerServer.respond = () => ({ status: 200, body: { issuer_request_id: 'i-1', ...none } })
    assert.deepEqual(await issuer.mint(mintRequest), { ok: true, issuerRequestId: 'i-1' })
  }
})

test('an unreachable issuer counts as no response', async () => {
  const gone = await openExternalIssuer()
  await gone.close()
  const nobody = externalIssuer({ ...address, urls: { ...address.urls, mint: `${gone.url}/mint` } })
  await assert.rejects(nobody.mint(mintRequest), /fetch failed/)
})

test('a response that does not arrive, or does not end, is cut off at the time limit', async () => {
  const impatient = externalIssuer({ ...address, timeoutMs: 50 })
  issuerServer.respond = () => new Promise(() => undefined)
  await assert.rejects(impatient.mint(mintRequest), /timeout/)
  const slow = createServer((_, response) => {
    response.writeHead(200).write('{"issuer_request_id":')
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const mint = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/mint`
  const endless = externalIssuer({ ...address, timeoutMs: 50, urls: { ...address.urls, mint } })
  await assert.rejects(endless.mint(mintRequest), /timeout/)
  slow.closeAllConnections()
  slow.close()
})

const account = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
for (const [when, body, then] of [
  ['an account', { account_id: account.toUpperCase(), underlying_symbol: 'AAPL' }, account],
  ['the account of another share', { account_id: account, underlying_symbol: 'MSFT' }, undefined],
  ['no share', { account_id: account }, undefined],
  ['no account', { underlying_symbol: 'AAPL' }, undefined],
] as const)
  test(`the custody account of a share, for the response ${when}: ${then ?? 'no response'}`, async () => {
    issuerServer.respond = () => ({ status: 200, body })
    const response = await issuer.custody(mintRequest.underlying).catch(() => undefined)
    assert.deepEqual(response && (response.ok ? response.accountId : response.reason), then)
    assert.equal(issuerServer.requests.at(-1)!.route, 'GET /custody/AAPL?of=us')
  })

test('a rejection is sent with its reason and both ids', async () => {
  await issuer.reject({ ...notification, reason: 'the issuer did not answer in time' })
  assert.deepEqual(issuerServer.requests.at(-1)!.body, {
    tokenization_request_id: requestId,
    issuer_request_id: 'i-1',
    status: 'rejected',
    reason: 'the issuer did not answer in time',
    client_account_id: 'accountId' in participant ? participant.accountId : '',
  })
})

test('an issuer whose acceptance was lost is called without its own id', async () => {
  const { issuerRequestId: _, ...lost } = notification
  await issuer.reject({ ...lost, reason: 'the issuer did not answer in time' })
  const { body } = issuerServer.requests.at(-1)!
  assert.deepEqual(
    [body.tokenization_request_id, 'issuer_request_id' in body, body.status],
    [requestId, false, 'rejected'],
  )
})

test('a participant with an id at the issuer is named in both spellings, in every call', async () => {
  const handshake = { ...notification, participant: { externalId: 'client-1' } }
  issuerServer.requests.length = 0
  await issuer.mint({ ...mintRequest, participant: { externalId: 'client-1' } })
  await issuer.confirm(handshake)
  await issuer.reject({ ...handshake, reason: 'no' })
  assert.deepEqual(
    issuerServer.requests.map(({ body }) => [body.client_external_account_id, body.client_id]),
    Array.from({ length: 3 }, () => ['client-1', 'client-1']),
  )
  await issuer.connect({ email: 'ap@example.org', accountNumber: '123456789' })
  assert.deepEqual(issuerServer.requests.at(-1)!.body, {
    email: 'ap@example.org',
    client_account_number: '123456789',
    account: '123456789',
  })
})

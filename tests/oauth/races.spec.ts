import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { callAsOperator } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { type App, type AppResponse, codeFor, newApp, requests, send, sendTogether } from './app.ts'

const MANY = 50

/** An app with tokens that do not expire, and an app with tokens that expire and can be refreshed. */
let permanentApp: App
let expiringApp: App
before(async () => {
  permanentApp = await newApp(broker)
  expiringApp = await newApp(broker, { token_expires_in: 600 })
})

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const successful = (responses: readonly AppResponse[]): readonly AppResponse[] =>
  responses.filter(({ status }) => status === 200)

async function works(token: string): Promise<boolean> {
  const { status } = await send(broker, requests.account(token))
  assert.ok(status === 200 || status === 401, String(status))
  return status === 200
}

async function pair(): Promise<{ readonly access: string; readonly refresh: string }> {
  const { body } = await send(broker, requests.exchange(expiringApp, await codeFor(broker, expiringApp)))
  return { access: body.access_token, refresh: body.refresh_token }
}

/** The events of a kind after this number. */
async function events(kind: string, since: number): Promise<readonly { readonly number: number }[]> {
  const path = `/sim/v1/worlds/main/events?kind=${kind}&limit=1000`
  const { status, body } = await callAsOperator(broker, 'GET', path)
  assert.equal(status, 200)
  return body.events.filter(({ number }: { readonly number: number }) => number > since)
}

async function seqNow(): Promise<number> {
  const { headers } = await callAsOperator(broker, 'GET', '/v1/oauth/clients?limit=1')
  return Number(headers.get('x-quipu-seq'))
}

test(`${MANY} concurrent exchanges of one code give exactly one token, and the replays revoke it`, async () => {
  const code = await codeFor(broker, permanentApp)
  const since = await seqNow()
  const responses = await sendTogether(broker, times(MANY, requests.exchange(permanentApp, code)))
  const [one, ...others] = successful(responses)
  assert.ok(one)
  assert.deepEqual(others, [])
  const refused = responses.filter(({ body }) => body.error === 'invalid_grant')
  assert.equal(refused.length, MANY - 1)
  assert.equal(await works(one.body.access_token), false)
  assert.equal((await events('codeExchanged', since)).length, 1)
  // The first replay revokes the grant; later replays find no grant.
  assert.equal((await events('codeReplayed', since)).length, 1)
})

test('an exchange without a replay keeps its token during many concurrent exchanges', async () => {
  const codes = []
  for (let n = 0; n < MANY; n++) codes.push(await codeFor(broker, permanentApp))
  const responses = await sendTogether(
    broker,
    codes.map((code) => requests.exchange(permanentApp, code)),
  )
  const tokens = new Set(successful(responses).map(({ body }) => body.access_token as string))
  assert.equal(tokens.size, MANY)
  for (const token of tokens) assert.ok(await works(token))
})

test(`${MANY} concurrent refreshes of one token give exactly two pairs, and the replays revoke all of them`, async () => {
  const first = await pair()
  const since = await seqNow()
  const responses = await sendTogether(broker, times(MANY, requests.refresh(expiringApp, first.refresh)))
  assert.equal(successful(responses).length, 2)
  assert.equal(responses.filter(({ body }) => body.error === 'invalid_grant').length, MANY - 2)
  assert.equal(await works(first.access), false)
  for (const { body } of successful(responses)) {
    assert.equal(await works(body.access_token), false)
    const next = await send(broker, requests.refresh(expiringApp, body.refresh_token))
    assert.equal(next.body.error, 'invalid_grant')
  }
  assert.equal((await events('tokenRefreshed', since)).length, 2)
  assert.equal((await events('refreshReplayed', since)).length, 1)
})

test('a concurrent refresh and revocation of the same token leave no working token', async () => {
  for (let round = 0; round < 20; round++) {
    const first = await pair()
    const both = [requests.refresh(expiringApp, first.refresh), requests.revoke(expiringApp, first.refresh)]
    const [refreshed, revoked] = await sendTogether(broker, round % 2 ? both : both.toReversed()).then(
      (responses) => (round % 2 ? responses : responses.toReversed()),
    )
    assert.equal(revoked!.status, 200)
    assert.ok(refreshed!.status === 200 || refreshed!.body.error === 'invalid_grant')
    assert.equal(await works(first.access), false)
    if (refreshed!.status === 200) assert.equal(await works(refreshed!.body.access_token), false)
  }
})

test('a concurrent exchange and revocation of the grant leave no working token', async () => {
  for (let round = 0; round < 20; round++) {
    const code = await codeFor(broker, permanentApp)
    const [{ grant_id: id }] = (
      await callAsOperator(broker, 'GET', `/v1/oauth/grants?client_id=${permanentApp.clientId}&limit=1`)
    ).body
    const [responses, revoked] = await Promise.all([
      sendTogether(broker, [requests.exchange(permanentApp, code)]),
      callAsOperator(broker, 'DELETE', `/v1/oauth/grants/${id}`),
    ])
    assert.equal(revoked.status, 204)
    const [exchanged] = responses
    assert.ok(exchanged!.status === 200 || exchanged!.body.error === 'invalid_grant')
    if (exchanged!.status === 200) assert.equal(await works(exchanged!.body.access_token), false)
    assert.equal((await send(broker, requests.exchange(permanentApp, code))).body.error, 'invalid_grant')
  }
})

test('concurrent revocations of one token all succeed', async () => {
  const first = await pair()
  const responses = await sendTogether(broker, times(MANY, requests.revoke(expiringApp, first.access)))
  assert.equal(successful(responses).length, MANY)
  assert.equal(await works(first.access), false)
  assert.equal((await send(broker, requests.refresh(expiringApp, first.refresh))).status, 200)
})

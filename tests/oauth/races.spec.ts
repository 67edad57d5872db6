import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Broker, callAsOperator, startBroker } from '../broker.ts'
import { type Answer, type App, ask, asks, codeFor, newApp, together } from './app.ts'

const MANY = 50

let broker: Broker
/** Its tokens last; those of the other end, so that there is something to refresh. */
let lasting: App
let ending: App
before(async () => {
  broker = await startBroker()
  lasting = await newApp(broker)
  ending = await newApp(broker, { token_expires_in: 600 })
})
after(() => broker.stop())

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const good = (answers: readonly Answer[]): readonly Answer[] => answers.filter(({ status }) => status === 200)

async function works(token: string): Promise<boolean> {
  const { status } = await ask(broker, asks.account(token))
  assert.ok(status === 200 || status === 401, String(status))
  return status === 200
}

async function pair(): Promise<{ readonly access: string; readonly refresh: string }> {
  const { body } = await ask(broker, asks.exchange(ending, await codeFor(broker, ending)))
  return { access: body.access_token, refresh: body.refresh_token }
}

/** What the journal says of a kind, since a number. */
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

test(`${MANY} exchanges of one code at once give exactly one token, and the replays take it back`, async () => {
  const code = await codeFor(broker, lasting)
  const since = await seqNow()
  const answers = await together(broker, times(MANY, asks.exchange(lasting, code)))
  const [one, ...others] = good(answers)
  assert.ok(one)
  assert.deepEqual(others, [])
  const refused = answers.filter(({ body }) => body.error === 'invalid_grant')
  assert.equal(refused.length, MANY - 1)
  assert.equal(await works(one.body.access_token), false)
  assert.equal((await events('codeExchanged', since)).length, 1)
  // The first replay ends the grant; to those after it there is nothing left to take back.
  assert.equal((await events('codeReplayed', since)).length, 1)
})

test('an exchange that nobody repeats keeps its token, however many others are under way', async () => {
  const codes = []
  for (let n = 0; n < MANY; n++) codes.push(await codeFor(broker, lasting))
  const answers = await together(
    broker,
    codes.map((code) => asks.exchange(lasting, code)),
  )
  const tokens = new Set(good(answers).map(({ body }) => body.access_token as string))
  assert.equal(tokens.size, MANY)
  for (const token of tokens) assert.ok(await works(token))
})

test(`${MANY} refreshes of one token at once give exactly two pairs, and the replays revoke all of them`, async () => {
  const first = await pair()
  const since = await seqNow()
  const answers = await together(broker, times(MANY, asks.refresh(ending, first.refresh)))
  assert.equal(good(answers).length, 2)
  assert.equal(answers.filter(({ body }) => body.error === 'invalid_grant').length, MANY - 2)
  assert.equal(await works(first.access), false)
  for (const { body } of good(answers)) {
    assert.equal(await works(body.access_token), false)
    const next = await ask(broker, asks.refresh(ending, body.refresh_token))
    assert.equal(next.body.error, 'invalid_grant')
  }
  assert.equal((await events('tokenRefreshed', since)).length, 2)
  assert.equal((await events('refreshReplayed', since)).length, 1)
})

test('a refresh and a revocation of the same token at once leave nothing that works', async () => {
  for (let round = 0; round < 20; round++) {
    const first = await pair()
    const both = [asks.refresh(ending, first.refresh), asks.revoke(ending, first.refresh)]
    const [refreshed, revoked] = await together(broker, round % 2 ? both : both.toReversed()).then(
      (answers) => (round % 2 ? answers : answers.toReversed()),
    )
    assert.equal(revoked!.status, 200)
    assert.ok(refreshed!.status === 200 || refreshed!.body.error === 'invalid_grant')
    assert.equal(await works(first.access), false)
    if (refreshed!.status === 200) assert.equal(await works(refreshed!.body.access_token), false)
  }
})

test('an exchange and a taking back of the grant at once leave nothing that works', async () => {
  for (let round = 0; round < 20; round++) {
    const code = await codeFor(broker, lasting)
    const [{ grant_id: id }] = (
      await callAsOperator(broker, 'GET', `/v1/oauth/grants?client_id=${lasting.clientId}&limit=1`)
    ).body
    const [answers, taken] = await Promise.all([
      together(broker, [asks.exchange(lasting, code)]),
      callAsOperator(broker, 'DELETE', `/v1/oauth/grants/${id}`),
    ])
    assert.equal(taken.status, 204)
    const [exchanged] = answers
    assert.ok(exchanged!.status === 200 || exchanged!.body.error === 'invalid_grant')
    if (exchanged!.status === 200) assert.equal(await works(exchanged!.body.access_token), false)
    assert.equal((await ask(broker, asks.exchange(lasting, code))).body.error, 'invalid_grant')
  }
})

test('revocations of one token at once all succeed', async () => {
  const first = await pair()
  const answers = await together(broker, times(MANY, asks.revoke(ending, first.access)))
  assert.equal(good(answers).length, MANY)
  assert.equal(await works(first.access), false)
  assert.equal((await ask(broker, asks.refresh(ending, first.refresh))).status, 200)
})

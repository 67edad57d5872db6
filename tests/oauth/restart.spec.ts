import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { type AppResponse, codeFor, newApp, requests, send, sendTogether } from './app.ts'

const MANY = 50

async function works(broker: Broker, token: string): Promise<boolean> {
  return (await send(broker, requests.account(token))).status === 200
}

const successful = (responses: readonly AppResponse[]): readonly AppResponse[] =>
  responses.filter(({ status }) => status === 200)

test('after kill -9 a used code stays used, an unused code works once, and tokens keep their state', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker, { token_expires_in: 600 })
  const [used, fresh, again] = [
    await codeFor(broker, app),
    await codeFor(broker, app),
    await codeFor(broker, app),
  ]
  const kept = (await send(broker, requests.exchange(app, used))).body
  const replayed = (await send(broker, requests.exchange(app, again))).body
  assert.equal((await send(broker, requests.exchange(app, again))).status, 400)
  const revoked = (await send(broker, requests.exchange(app, await codeFor(broker, app)))).body
  assert.equal((await send(broker, requests.revoke(app, revoked.access_token))).status, 200)
  const next = (await send(broker, requests.refresh(app, kept.refresh_token))).body
  await broker.kill()
  broker = await startBroker(['--data', folder])

  assert.ok(await works(broker, kept.access_token))
  assert.ok(await works(broker, next.access_token))
  assert.ok(!(await works(broker, replayed.access_token)))
  assert.ok(!(await works(broker, revoked.access_token)))
  const responses = await sendTogether(
    broker,
    Array.from({ length: MANY }, () => requests.exchange(app, fresh)),
  )
  assert.equal(successful(responses).length, 1)
  assert.ok(!(await works(broker, successful(responses)[0]!.body.access_token)))
  // A code that was used before the kill is a replay after it.
  assert.equal((await send(broker, requests.exchange(app, used))).body.error, 'invalid_grant')
  assert.ok(!(await works(broker, kept.access_token)))
  assert.equal((await send(broker, requests.refresh(app, next.refresh_token))).body.error, 'invalid_grant')
})

/** The event of a reused refresh token, and a check of its time: a reuse within ten seconds is allowed. */
async function reuseOf(broker: Broker, grantId: string): Promise<'tokenRefreshed' | 'refreshReplayed'> {
  const path = '/sim/v1/worlds/main/events?kind=tokenRefreshed,refreshReplayed&limit=1000'
  const { body } = await callAsOperator(broker, 'GET', path)
  const ofGrant = body.events.filter(({ event }: Entry) => event.grantId === grantId) as Entry[]
  const [first, second] = ofGrant.slice(-2).sort((a, b) => a.number - b.number)
  const apart = Date.parse(second!.at) - Date.parse(first!.at)
  assert.equal(second!.kind, apart < 10_000 ? 'tokenRefreshed' : 'refreshReplayed', `${apart} ms apart`)
  return second!.kind
}
type Entry = {
  readonly number: number
  readonly at: string
  readonly kind: 'tokenRefreshed' | 'refreshReplayed'
  readonly event: { readonly grantId: string }
}

test('after kill -9 a used refresh token stays used', { skip: !hasAllCases }, async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker, { token_expires_in: 600 })
  const first = (await send(broker, requests.exchange(app, await codeFor(broker, app)))).body
  const responses = await sendTogether(
    broker,
    Array.from({ length: MANY }, () => requests.refresh(app, first.refresh_token)),
  )
  assert.equal(successful(responses).length, 2)
  const second = (await send(broker, requests.exchange(app, await codeFor(broker, app)))).body
  const next = (await send(broker, requests.refresh(app, second.refresh_token))).body
  await broker.kill()
  broker = await startBroker(['--data', folder])
  assert.ok(await works(broker, next.access_token))
  const [{ grant_id: grantId }] = (await callAsOperator(broker, 'GET', '/v1/oauth/grants?limit=1')).body
  const reused = await send(broker, requests.refresh(app, second.refresh_token))
  const isInTime = (await reuseOf(broker, grantId)) === 'tokenRefreshed'
  assert.equal(reused.status, isInTime ? 200 : 400)
  assert.equal(await works(broker, next.access_token), isInTime)
  // A used refresh token gives one more pair and no third, also after another start.
  await broker.kill()
  broker = await startBroker(['--data', folder])
  assert.equal((await send(broker, requests.refresh(app, second.refresh_token))).body.error, 'invalid_grant')
  assert.ok(!(await works(broker, next.access_token)))
})

test('kill -9 during many exchanges: answered tokens work, and no code gives a second token', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker)
  const codes: string[] = []
  for (let n = 0; n < 2 * MANY; n++) codes.push(await codeFor(broker, app))
  const answered = new Map<string, string>()
  const exchanges = codes.map(async (code) => {
    const response = await send(broker, requests.exchange(app, code))
    if (response.status === 200) answered.set(code, response.body.access_token)
    if (answered.size === MANY / 2) broker.process.kill('SIGKILL')
  })
  await Promise.allSettled(exchanges)
  await broker.kill()
  assert.ok(answered.size >= MANY / 2)
  broker = await startBroker(['--data', folder])
  for (const [code, token] of answered) {
    assert.ok(await works(broker, token))
    assert.equal((await send(broker, requests.exchange(app, code))).body.error, 'invalid_grant')
    assert.ok(!(await works(broker, token)))
  }
  // A code without a response may be used, but then no client has its token.
  for (const code of codes.filter((code) => !answered.has(code))) {
    const statuses = [0, 1].map(() => send(broker, requests.exchange(app, code)))
    assert.ok(successful(await Promise.all(statuses)).length <= 1)
  }
})

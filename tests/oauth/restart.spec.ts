import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, callAsOperator, newFolder, startBroker } from '../broker.ts'
import { type Answer, ask, asks, codeFor, newApp, together } from './app.ts'

const MANY = 50

async function works(broker: Broker, token: string): Promise<boolean> {
  return (await ask(broker, asks.account(token))).status === 200
}

const good = (answers: readonly Answer[]): readonly Answer[] => answers.filter(({ status }) => status === 200)

test('after a power cut a used code stays used, a fresh one serves once, and tokens are what they were', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker, { token_expires_in: 600 })
  const [used, fresh, again] = [
    await codeFor(broker, app),
    await codeFor(broker, app),
    await codeFor(broker, app),
  ]
  const kept = (await ask(broker, asks.exchange(app, used))).body
  const replayed = (await ask(broker, asks.exchange(app, again))).body
  assert.equal((await ask(broker, asks.exchange(app, again))).status, 400)
  const given = (await ask(broker, asks.exchange(app, await codeFor(broker, app)))).body
  assert.equal((await ask(broker, asks.revoke(app, given.access_token))).status, 200)
  const next = (await ask(broker, asks.refresh(app, kept.refresh_token))).body
  await broker.kill()
  broker = await startBroker(['--data', folder])

  assert.ok(await works(broker, kept.access_token))
  assert.ok(await works(broker, next.access_token))
  assert.ok(!(await works(broker, replayed.access_token)))
  assert.ok(!(await works(broker, given.access_token)))
  const answers = await together(
    broker,
    Array.from({ length: MANY }, () => asks.exchange(app, fresh)),
  )
  assert.equal(good(answers).length, 1)
  assert.ok(!(await works(broker, good(answers)[0]!.body.access_token)))
  // What was used before the cut is a replay after it.
  assert.equal((await ask(broker, asks.exchange(app, used))).body.error, 'invalid_grant')
  assert.ok(!(await works(broker, kept.access_token)))
  assert.equal((await ask(broker, asks.refresh(app, next.refresh_token))).body.error, 'invalid_grant')
})

/** Which of the two reuses the journal has, and whether its own times allow it: ten seconds decide. */
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

test('after a power cut a used refresh token stays used', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker, { token_expires_in: 600 })
  const first = (await ask(broker, asks.exchange(app, await codeFor(broker, app)))).body
  const answers = await together(
    broker,
    Array.from({ length: MANY }, () => asks.refresh(app, first.refresh_token)),
  )
  assert.equal(good(answers).length, 2)
  const second = (await ask(broker, asks.exchange(app, await codeFor(broker, app)))).body
  const next = (await ask(broker, asks.refresh(app, second.refresh_token))).body
  await broker.kill()
  broker = await startBroker(['--data', folder])
  assert.ok(await works(broker, next.access_token))
  const [{ grant_id: grantId }] = (await callAsOperator(broker, 'GET', '/v1/oauth/grants?limit=1')).body
  const reused = await ask(broker, asks.refresh(app, second.refresh_token))
  const isInTime = (await reuseOf(broker, grantId)) === 'tokenRefreshed'
  assert.equal(reused.status, isInTime ? 200 : 400)
  assert.equal(await works(broker, next.access_token), isInTime)
  // It yields one more pair and no third, however often the server starts.
  await broker.kill()
  broker = await startBroker(['--data', folder])
  assert.equal((await ask(broker, asks.refresh(app, second.refresh_token))).body.error, 'invalid_grant')
  assert.ok(!(await works(broker, next.access_token)))
})

test('a power cut amid many exchanges: what was answered holds, and no code gives a second token', async (t) => {
  const folder = newFolder()
  let broker = await startBroker(['--data', folder])
  t.after(() => broker.kill())
  const app = await newApp(broker)
  const codes: string[] = []
  for (let n = 0; n < 2 * MANY; n++) codes.push(await codeFor(broker, app))
  const answered = new Map<string, string>()
  const underWay = codes.map(async (code) => {
    const answer = await ask(broker, asks.exchange(app, code))
    if (answer.status === 200) answered.set(code, answer.body.access_token)
    if (answered.size === MANY / 2) broker.process.kill('SIGKILL')
  })
  await Promise.allSettled(underWay)
  await broker.kill()
  assert.ok(answered.size >= MANY / 2)
  broker = await startBroker(['--data', folder])
  for (const [code, token] of answered) {
    assert.ok(await works(broker, token))
    assert.equal((await ask(broker, asks.exchange(app, code))).body.error, 'invalid_grant')
    assert.ok(!(await works(broker, token)))
  }
  // One that was not answered may have been used, but then nobody has its token.
  for (const code of codes.filter((code) => !answered.has(code))) {
    const statuses = [0, 1].map(() => ask(broker, asks.exchange(app, code)))
    assert.ok(good(await Promise.all(statuses)).length <= 1)
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Operation, type OperationName, operations } from '@quipu/contract'
import { WebSocket } from 'ws'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { raise } from '../../server/src/http/oauth/testing/session.ts'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { type Key, sendExample } from '../support/send-example.ts'
import { broker } from '../support/shared-broker.ts'
import { allowApp, asOperator, newApp, newUser, sessionToken, signIn } from '../worlds/people.ts'
import { joinAsParticipant } from './app.ts'

let world: Awaited<ReturnType<typeof newWorld>>
let auditor: Key
let orderId: string
const order = { symbol: 'AAPL', side: 'buy', type: 'market', time_in_force: 'day', qty: '1' }
const operator: Key = { keyId: broker.brokerKey, secretKey: broker.brokerSecret }

before(async () => {
  world = await newWorld(broker)
  orderId = (await call(world, 'POST', '/v2/orders', order)).body.id
  const made = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', { kind: 'auditor' })
  assert.deepEqual([made.status, made.body.kind], [201, 'auditor'])
  auditor = { keyId: made.body.key_id, secretKey: made.body.secret_key }
})

/** Sends the example of an operation for the world of this test. */
const sendAs = (name: OperationName, key: Key) =>
  sendExample(broker.url, name, key, {
    world: world.world,
    account_id: world.accountId,
    order_id: orderId,
  })

/** Everything that a call could change: the worlds and the ends of their journals. */
async function heads(): Promise<unknown> {
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds')
  const names: readonly string[] = body.map(({ world }: Body) => world)
  const head = (name: string) => callAsOperator(broker, 'GET', `/sim/v1/worlds/${name}/journal`)
  // Other specs of this process change their worlds; this one is the only one to use these two.
  return { names, main: (await head('main')).body, own: (await head(world.world)).body }
}

/** It ranks every symbol, which takes seconds; `movers` is the same kind. */
const isSlow = (name: string): boolean => name === 'mostActives' && !hasAllCases

const called = (Object.entries<Operation>(operations) as [OperationName, Operation][]).filter(
  ([name, { who }]) => !who.includes('anyone') && !isSlow(name),
)
/** Changes nothing although it is a POST. */
const PREVIEWS = ['previewOrderForAccount']
const isReading = (name: OperationName, { method, who }: Operation): boolean =>
  (who.includes('partner') || who.includes('operator')) && (method === 'GET' || PREVIEWS.includes(name))

test('an auditor is refused every operation that changes something, and changes nothing', async () => {
  const before = await heads()
  let count = 0
  for (const [name, operation] of called) {
    if (isReading(name, operation)) continue
    const { status, body } = await sendAs(name, auditor)
    assert.deepEqual(
      [status, body.reason],
      [403, 'auditorReadsOnly'],
      `${operation.method} ${operation.path}`,
    )
    count += 1
  }
  assert.ok(count > 100, `${count} operations`)
  assert.deepEqual(await heads(), before)
})

test('an auditor reads everything that an operator reads', async () => {
  const read = new Set<OperationName>()
  for (const [name, operation] of called) {
    if (!isReading(name, operation)) continue
    const asAuditor = await sendAs(name, auditor)
    if (asAuditor.status === 200) {
      read.add(name)
      continue
    }
    // The example names a record that this world does not have, or a cluster.
    const asOperator = await sendAs(name, operator)
    const responses = [asAuditor, asOperator].map(({ status, body }) => [status, body?.reason])
    assert.deepEqual(responses[0], responses[1], `${operation.method} ${operation.path}`)
  }
  const everyServerHas = [
    'listAuditLog',
    'listEvents',
    'listPostings',
    'saveWorld',
    'readAudit',
    'listBackups',
  ] as const
  const andPeople = [
    'listUsers',
    'listKeys',
    'listPartners',
    'listWorlds',
    'listWorldAccounts',
    'listRequests',
  ] as const
  for (const name of [...everyServerHas, ...andPeople, 'explainOrder', 'getAccountForAccount'] as const)
    assert.ok(read.has(name), name)
})

test('an auditor sees the metrics of each world where only operators do', async () => {
  const { status, body } = await call({ url: broker.url, ...auditor }, 'GET', '/metrics')
  assert.equal(status, 200)
  assert.ok(body.includes(`world="${world.world}"`))
})

/** A page of the broker with a signed-in user, and the tokens that it requests. */
async function pageOf(name: string, role: object) {
  const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/users', {
    name,
    ...role,
  })
  assert.equal(status, 201)
  const browser = new Browser(broker)
  const signIn = () => browser.signIn(undefined, name, body.password)
  await signIn()
  const cookie = () => ({ cookie: `quipu_session=${browser.cookies.get('quipu_session')}` })
  const session = async () => (await fetch(`${broker.url}/oauth/session`, { headers: cookie() })).json()
  const tokenFor = async (rights: object): Promise<Body> => {
    const { form_token } = (await session()) as Body
    const headers = { ...cookie(), 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ form_token, ...rights }) }
    return (await fetch(`${broker.url}/oauth/session/token`, sent)).json()
  }
  return { signIn, raise: () => raise(browser, body.password), session, tokenFor }
}

async function callWith(token: string, route: string, body?: object): Promise<readonly [number, string?]> {
  const [method, path] = route.split(' ')
  const response = await fetch(broker.url + path, {
    method: method!,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { status } = response
  return status < 400 ? [status] : [status, ((await response.json()) as Body).reason]
}

test('a signed-in auditor raises the rights, reads every world and account, and changes nothing', async () => {
  const page = await pageOf('rhea', { auditor: true })
  assert.equal((await page.tokenFor({ operator: true })).reason, 'operatorRightsNotRaised')
  assert.equal((await page.raise()).status, 303)
  const { operator, auditor, operator_until } = (await page.session()) as Body
  assert.deepEqual([operator, auditor, typeof operator_until], [false, true, 'string'])
  const { access_token: token } = await page.tokenFor({ operator: true })
  assert.deepEqual(await callWith(token, `GET /sim/v1/worlds/${world.world}/audit-log`), [200])
  for (const route of [
    'POST /sim/v1/worlds',
    `DELETE /sim/v1/worlds/${world.world}`,
    'PATCH /sim/v1/worlds/main/users/rhea',
  ])
    assert.deepEqual(await callWith(token, route, { operator: true }), [403, 'auditorReadsOnly'], route)
  const account = await page.tokenFor({ account_id: world.accountId, world: world.world })
  assert.deepEqual(await callWith(account.access_token, 'GET /v2/positions'), [200])
  assert.deepEqual(await callWith(account.access_token, 'DELETE /v2/orders'), [403, 'readOnlyToken'])
  // A participant holds back the clock.
  for (const credential of [token, account.access_token])
    assert.equal(await joinAsParticipant(broker, { authorization: `Bearer ${credential}` }), 'refused')
})

test('event streams of an auditor do not use up those of the account', async () => {
  const page = await pageOf('ceres', { auditor: true })
  await page.raise()
  const { access_token } = await page.tokenFor({ account_id: world.accountId, world: world.world })
  const ending = new AbortController()
  const open = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${broker.url}/v2/events/trades`, { headers, signal: ending.signal })).status
  const auditor = { authorization: `Bearer ${access_token}` }
  const owner = { 'apca-api-key-id': world.keyId, 'apca-api-secret-key': world.secretKey }
  const statuses = await Promise.all(Array.from({ length: 26 }, () => open(auditor)))
  assert.deepEqual([...new Set(statuses)].sort(), [200, 429])
  assert.equal(await open(owner), 200)
  ending.abort()
})

test('an operator who becomes an auditor keeps no token with the earlier rights', async () => {
  const page = await pageOf('remo', { operator: true })
  await page.raise()
  const { access_token: token } = await page.tokenFor({ operator: true })
  const account = await page.tokenFor({ account_id: world.accountId, world: world.world })
  const both = await callAsOperator(broker, 'PATCH', '/sim/v1/worlds/main/users/remo', { auditor: true })
  assert.deepEqual([both.status, both.body.reason], [422, 'userHasOneRole'])
  const change = { operator: false, auditor: true }
  assert.equal((await callAsOperator(broker, 'PATCH', '/sim/v1/worlds/main/users/remo', change)).status, 200)
  // The change ended the session.
  await page.signIn()
  await page.raise()
  assert.deepEqual(await callWith(token, 'GET /sim/v1/worlds'), [401, 'unauthorized'])
  assert.deepEqual(await callWith(account.access_token, 'DELETE /v2/orders'), [401, 'unauthorized'])
  assert.deepEqual(
    await callWith((await page.tokenFor({ operator: true })).access_token, 'GET /sim/v1/worlds'),
    [200],
  )
})

test('commands create auditors and their keys', async () => {
  const env = {
    QUIPU_URL: broker.url,
    QUIPU_BROKER_KEY: operator.keyId,
    QUIPU_BROKER_SECRET: operator.secretKey,
  }
  assert.equal((await command(['user', 'create', 'rita', '--auditor', 'yes'], { env })).code, 0)
  const { stdout } = await command(['user', 'list'], { env })
  assert.match(stdout, /rita +auditor +0 +0 +none/)
  const made = await command(['key', 'create', '--kind', 'auditor', '--json'], { env })
  assert.equal(JSON.parse(made.stdout).kind, 'auditor')
  const { key_id, secret_key } = JSON.parse(made.stdout)
  const asAuditor = { ...env, QUIPU_BROKER_KEY: key_id, QUIPU_BROKER_SECRET: secret_key }
  assert.equal((await command(['audit-log'], { env: asAuditor })).code, 0)
  const refused = await command(['world', 'create'], { env: asAuditor })
  assert.match(refused.stderr, /an auditor reads and changes nothing; ask an operator/)
})

/** What a token gets for an order, and for reading the account. */
async function rightsOf(token: string): Promise<readonly [number, string | undefined, number]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify(order)
  const placed = await fetch(`${broker.url}/v2/orders`, { method: 'POST', headers, body })
  const { reason } = (await placed.json()) as Body
  return [placed.status, reason, (await fetch(`${broker.url}/v2/account`, { headers })).status]
}

const READS = [403, 'readOnlyToken', 200]
const TRADES = [200, undefined, 200]

for (const isCopy of [false, true]) {
  const where = isCopy ? 'a copy of main' : 'main'

  async function worldFor(t: TestContext): Promise<string> {
    if (!isCopy) return 'main'
    const { world } = await asOperator(broker, 'POST', '/main/fork', {})
    t.after(() => asOperator(broker, 'DELETE', `/${world}`))
    return world
  }

  test(`in ${where}, an app that an auditor allowed reads and changes nothing`, async (t) => {
    const person = await newUser(broker, 'main', { auditor: true })
    const app = await newApp(broker, await worldFor(t))
    const { browser } = await signIn(broker, app.request, person.name)
    assert.deepEqual(await rightsOf(await allowApp(broker, app, browser, person)), READS)
  })

  test(`in ${where}, tokens of a person who becomes an auditor change nothing any more`, async (t) => {
    const person = await newUser(broker, 'main')
    const app = await newApp(broker, await worldFor(t))
    const { browser } = await signIn(broker, app.request, person.name)
    const token = await allowApp(broker, app, browser, person)
    const [{ account_id }] = person.accounts
    const ofSession = async () => (await sessionToken(broker.url, browser, { account_id })).body.access_token
    const early = await ofSession()
    assert.deepEqual([await rightsOf(token), await rightsOf(early)], [TRADES, TRADES])
    const become = (auditor: boolean) =>
      asOperator(broker, 'PATCH', `/main/users/${person.name}`, { auditor })
    const participant = new WebSocket(`${broker.url.replace('http', 'ws')}/sim/v1/participant`, {
      headers: { authorization: `Bearer ${token}` },
    })
    t.after(() => participant.terminate())
    await once(participant, 'message')
    const closed = once(participant, 'close').then(([code]) => code)
    await become(true)
    assert.deepEqual(await rightsOf(token), READS)
    assert.equal(await Promise.race([closed, sleep(5000, 'open', { ref: false })]), 1008)
    assert.deepEqual(await rightsOf(early), [401, 'unauthorized', 401], 'a token from before has ended')
    assert.deepEqual(await rightsOf(await ofSession()), READS)
    await become(false)
    assert.deepEqual(await rightsOf(token), TRADES)
  })
}

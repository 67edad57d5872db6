import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TOTP } from 'otpauth'
import { Browser, type Visit } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { change, changeKinds, changesOn, untilSame } from '../worlds/followed.ts'
import {
  allowApp,
  asOperator,
  isSignedIn,
  newApp,
  newUser,
  requestOf,
  rightsOf,
  signIn,
} from '../worlds/people.ts'
import { checkDifference, checkDifferenceInMoves } from './difference-checks.ts'
import { CLUSTER_SECRET, clusterOf, move, moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { database, store, nodes } = await openDatabase('worlds')
nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')

const get = async (node: Broker, path: string): Promise<Body> =>
  (await callAsOperator(node, 'GET', `/sim/v1/${path}`)).body

/** The age of the last backup in the metrics of a node. */
async function ageAt({ url }: Broker): Promise<number> {
  const headers = { Authorization: `Bearer ${CLUSTER_SECRET}` }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  return Number(/^quipu_backup_age_seconds (\S+)$/m.exec(text)?.[1])
}

test('every node knows a backup that was made beside another one', async () => {
  const backupCheck = async (node: Broker) =>
    (await get(node, 'doctor')).checks.find(({ check }: Body) => check === 'backup').ok
  assert.equal(await backupCheck(two), false)

  const folder = join(newFolder(), 'monday')
  const env = { QUIPU_STORE: store }
  const { code, stderr } = await command(['store', 'backup', folder, '--data', two.dataFolder!], { env })
  assert.equal(code, 0, stderr)
  for (const node of nodes) {
    assert.equal(await backupCheck(node), true, node.url)
    assert.equal((await get(node, 'worlds/main/store')).last_backup.folder, folder)
    assert.deepEqual(
      (await get(node, 'backups')).map((one: Body) => one.folder),
      [folder],
    )
  }

  const old = `jsonb_set(record::jsonb, '{at}', '"2026-01-01T00:00:00.000Z"')::text`
  await database.run(`UPDATE quipu_backups SET record = ${old}`, store)
  for (const node of nodes)
    await waitUntil('the metrics have the age of the noted backup', async () => (await ageAt(node)) > 86_400)
})

test('a journal moves money to a world that another node holds; its receiver is checked there', async () => {
  const worlds = [
    await newWorld(one, { world: 'a', durable: true, clock: 'wall', cash: '1000' }),
    await newWorld(one, { world: 'b', durable: true, clock: 'wall', cash: '1000' }),
  ] as const
  const [a, b] = worlds
  await moveTo(one, 'a', one)
  await moveTo(one, 'b', two)
  const send = (to: object) =>
    call({ ...a.partner, url: two.url }, 'POST', '/v1/journals', {
      ...{ entry_type: 'JNLC', from_account: a.accountId, amount: '10' },
      ...to,
    })
  const statusOf = async (id: string): Promise<string> =>
    (await call({ ...a.partner, url: one.url }, 'GET', `/v1/journals/${id}`)).body.status
  for (const [to, status] of [
    [b.accountId, 'executed'],
    [a.created.partner.partner_id, 'rejected'],
  ]) {
    const sent = await send({ to_account: to, to_world: 'b' })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    await waitUntil(`the journal is ${status}`, async () => (await statusOf(sent.body.id)) === status)
  }
  assert.equal((await send({ to_account: b.accountId, to_world: 'nowhere' })).status, 404)
  for (const [world, cash] of [
    [a, '990'],
    [b, '1010'],
  ] as const)
    assert.equal((await call({ ...world, url: one.url }, 'GET', '/v2/account')).body.cash, cash)
})

test('a world is compared with one that another node holds, and both answers are the same', () =>
  checkDifference(nodes))

test('a comparison in the middle of a move has the right numbers, or is to be repeated', () =>
  checkDifferenceInMoves(nodes, hasAllCases ? { moves: 10, orders: 1000 } : { moves: 2, orders: 100 }))

const PASSWORD = 'correct horse battery'
const FACTORS = '/oauth/factors'
const PAGE = '/oauth/second-factor'

async function afterPassword(node: Broker): Promise<Browser> {
  const browser = new Browser(node)
  await browser.signIn(undefined, 'nadia', PASSWORD)
  return browser
}

const confirm = async (browser: Browser, code: string): Promise<Visit> =>
  browser.submit(await browser.get(PAGE), PAGE, { passcode: code })

// A person adds an authenticator app at one node and confirms a sign-in at the other, before and after `main` moves: every
// node has the key of the secrets. A recovery works at the machine of any node.
test('every node asks for the second factor and verifies it, also after main moved', async () => {
  const person = { name: 'nadia', password: PASSWORD }
  assert.equal((await callAsOperator(one, 'POST', '/sim/v1/worlds/main/users', person)).status, 201)
  const first = await afterPassword(one)
  const shown = await first.submit(await first.get(FACTORS), FACTORS, { answer: 'new-app' })
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)![1]!.replaceAll(' ', '')
  // Of one time, because a step may end during the test. The last of them is valid for more than a minute. The first is
  // valid until this step ends.
  const leftMs = 30_000 - (Date.now() % 30_000)
  if (leftMs < 5_000) await sleep(leftMs)
  const nowMs = Date.now()
  const codeIn = (steps: number) => new TOTP({ secret }).generate({ timestamp: nowMs + steps * 30_000 })
  // The code of the step before: two more codes are valid now.
  const added = await first.submit(shown, FACTORS, { answer: 'add-app', passcode: codeIn(-1) })
  assert.equal(added.location, FACTORS)
  const second = await afterPassword(two)
  assert.equal((await second.get('/oauth/apps')).location, '/oauth/sign-in', 'no rights before the code')
  assert.equal((await confirm(second, codeIn(0))).status, 303)
  assert.equal((await second.get('/oauth/apps')).status, 200)
  const { world } = await asOperator(one, 'POST', '/main/fork', { durable: true })
  const { nodes, worlds } = await clusterOf(one)
  const holder = worlds.find((row: Body) => row.world === 'main').node
  const other = nodes.find(({ name }: Body) => name !== holder)
  assert.equal((await move(one, 'main', other.address)).status, 200)
  const third = await afterPassword(one)
  assert.equal((await confirm(third, codeIn(0))).status, 400, 'a code is used once')
  await checkCopy(one, world, codeIn(1))
  await checkRecovery(other.address === one.url ? two : one)
})

/** A copy of `main` that another node holds than `main`: the node of `main` checks the code. */
async function checkCopy(node: Broker, world: string, code: string): Promise<void> {
  const { worlds } = await clusterOf(node)
  const [main, copy] = ['main', world].map((name) => worlds.find((row: Body) => row.world === name).node)
  assert.notEqual(main, copy)
  const { browser } = await signIn(node, await requestOf(node, world), 'nadia', PASSWORD)
  assert.equal(await isSignedIn(browser), false)
  const visit = await confirm(browser, code)
  assert.equal(visit.status, 303, visit.html)
  assert.equal(await isSignedIn(browser), true)
  await asOperator(node, 'DELETE', `/${world}`)
}

/** At a node that does not hold `main`. */
async function checkRecovery(node: Broker): Promise<void> {
  const env = { QUIPU_BROKER_KEY: node.brokerKey, QUIPU_BROKER_SECRET: node.brokerSecret }
  const done = await command(['user', 'reset-second-factors', 'nadia', '--data', node.dataFolder!], { env })
  assert.deepEqual([done.code, done.stdout], [0, 'nadia is reset\n'], done.stderr)
  const { body } = await callAsOperator(node, 'GET', '/sim/v1/worlds/main/users/nadia')
  assert.deepEqual(body.second_factors, [])
  const path = '/sim/v1/worlds/main/users/nadia/second-factors'
  const { status, body: refusal } = await callAsOperator(node, 'DELETE', path)
  assert.deepEqual([status, refusal.reason], [403, 'recoveryNotLocal'])
}

const bearerStatus = async (node: Broker, token: string): Promise<number> =>
  (await fetch(`${node.url}/v2/account`, { headers: { authorization: `Bearer ${token}` } })).status

test('a node without main checks people there, and accepts nobody while main is away', {
  skip: !hasAllCases,
}, async () => {
  const [home, other] = [one, two]
  await moveTo(home, 'main', home)
  const [ann, bob] = [await newUser(home, 'main', { operator: true }), await newUser(home, 'main')]
  await asOperator(home, 'POST', '/main/fork', { world: 'copy', durable: true })
  await moveTo(home, 'copy', other)
  const app = await newApp(other, 'copy')
  const { request } = app
  for (const node of nodes) {
    const { browser } = await signIn(node, request, ann.name)
    assert.equal(await isSignedIn(browser), true)
    assert.deepEqual(await rightsOf(node, browser), [])
    assert.equal(await isSignedIn((await signIn(node, request, ann.name, 'a wrong password')).browser), false)
  }
  const session = await signIn(other, request, ann.name)
  const token = await allowApp(other, app, session.browser, ann)
  const kept = await signIn(other, request, bob.name)
  const keptToken = await allowApp(other, app, kept.browser, bob)
  for (const node of nodes) assert.equal(await bearerStatus(node, token), 200)
  await asOperator(other, 'PATCH', `/main/users/${ann.name}`, { disabled: true })
  await waitUntil('the session ended', async () => !(await isSignedIn(session.browser)))
  for (const node of nodes) {
    await waitUntil('the token ended', async () => (await bearerStatus(node, token)) === 401)
    assert.equal(await isSignedIn((await signIn(node, request, ann.name)).browser), false)
    assert.equal(await bearerStatus(node, keptToken), 200)
  }

  // The node of main hangs: nobody is signed in, and sessions and tokens wait, until another node has main.
  home.process.kill('SIGSTOP')
  const away = await signIn(other, request, bob.name).catch(() => undefined)
  if (away?.visit.status === 503) assert.ok(away.visit.headers.has('retry-after'))
  else assert.equal(away?.visit.status, 303, 'the other node has main by now')
  assert.ok([200, 503].includes(await bearerStatus(other, keptToken)))
  assert.notEqual(await bearerStatus(other, token), 200)
  await untilHeld(other, 'main')
  await waitUntil('the session continues', () => isSignedIn(kept.browser))
  await waitUntil('the token is valid', async () => (await bearerStatus(other, keptToken)) === 200)
  assert.equal(await bearerStatus(other, token), 401)
  assert.equal(await isSignedIn((await signIn(other, request, ann.name)).browser), false)
  home.process.kill('SIGCONT')
  await untilHeld(home, 'main')
})

test('a world follows one that another node holds, also when the nodes change', {
  skip: !hasAllCases,
}, async () => {
  const leader = await newWorld(one, { world: 'leader', seed: 'one', durable: true })
  await moveTo(one, 'leader', two)
  const [first, ...later] = changesOn('2026-01-07')
  await change(one, 'leader', first!)
  const follower = await newWorld(one, { world: 'follower', seed: 'two', durable: true, follows: 'leader' })
  await moveTo(one, 'follower', one)
  await untilSame(one, follower, leader)
  const moves = [
    () => moveTo(one, 'leader', one),
    () => moveTo(one, 'follower', two),
    () => moveTo(one, 'leader', two),
  ]
  for (const [index, next] of later.entries()) {
    await change(one, 'leader', next)
    await moves[index]?.()
    await untilSame(one, follower, leader)
  }
  await moveTo(one, 'follower', one)
  const refused = await callAsOperator(two, 'DELETE', '/sim/v1/worlds/leader')
  assert.deepEqual([refused.status, refused.body.follower], [409, 'follower'])
  // The node of the follower is lost between two changes.
  await one.kill()
  await untilHeld(two, 'main')
  await change(two, 'leader', ['POST', 'assets', { symbol: 'ZZLAST' }])
  await untilHeld(two, 'follower')
  await untilSame(two, follower, leader)
  assert.deepEqual(await changeKinds(two, 'follower'), await changeKinds(two, 'leader'))
})

test('a world is named at any node, and the texts stay through a move', async () => {
  await newWorld(one, { world: 'titled', durable: true })
  for (const [via, title] of [
    [one, 'First'],
    [two, 'Second'],
  ] as const) {
    const { status, body } = await callAsOperator(via, 'PATCH', '/sim/v1/worlds/titled', { title })
    assert.deepEqual([status, body.title], [200, title])
    for (const node of nodes) {
      await moveTo(node, 'titled', node)
      assert.equal((await get(node, 'worlds/titled')).title, title)
    }
  }
})

test('a temporary fork expires at the node that it was moved to', async () => {
  const third = await startNode(store, ['--branch-kept-ms', '3000'])
  nodes.push(third)
  await newWorld(third, { world: 'trunk-of-branch', durable: true })
  await moveTo(third, 'trunk-of-branch', third)
  const body = { world: 'branch', durable: true, temporary: true }
  const forked = await callAsOperator(third, 'POST', '/sim/v1/worlds/trunk-of-branch/fork', body)
  assert.equal(forked.status, 201, JSON.stringify(forked.body))
  await moveTo(third, 'branch', one)
  await waitUntil('the fork is deleted', async () => {
    const { status } = await callAsOperator(two, 'GET', '/sim/v1/worlds/branch')
    return status === 404
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Broker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { allowApp, asOperator, isSignedIn, newApp, newUser, rightsOf, signIn } from '../worlds/people.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const bearerStatus = async (node: Broker, token: string): Promise<number> =>
  (await fetch(`${node.url}/v2/account`, { headers: { authorization: `Bearer ${token}` } })).status

test('a node without main checks people there, and accepts nobody while main is away', {
  skip: !hasAllCases,
}, async () => {
  const { store, nodes } = await openDatabase('people')
  nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
  const [home, other] = nodes as [Broker, Broker]
  await untilHeld(home, 'main')
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
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Broker } from '../broker.ts'
import { hasAllCases } from '../cases.ts'
import { waitUntil } from '../wait-until.ts'
import { asOperator, isSignedIn, newPerson, requestOf, rightsOf, signIn } from '../worlds/people.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

test('a node without main checks people there, and accepts nobody while main is away', {
  skip: !hasAllCases,
}, async () => {
  const { store, nodes } = await openDatabase('people')
  nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
  const [home, other] = nodes as [Broker, Broker]
  await untilHeld(home, 'main')
  await moveTo(home, 'main', home)
  const [ann, bob] = [await newPerson(home, 'main', { operator: true }), await newPerson(home, 'main')]
  await asOperator(home, 'POST', '/main/fork', { world: 'copy', durable: true })
  await moveTo(home, 'copy', other)
  const request = await requestOf(other, 'copy')
  for (const node of nodes) {
    const { browser } = await signIn(node, request, ann.name)
    assert.equal(await isSignedIn(browser), true)
    assert.deepEqual(await rightsOf(node, browser), [])
    assert.equal(await isSignedIn((await signIn(node, request, ann.name, 'a wrong password')).browser), false)
  }
  const session = await signIn(other, request, ann.name)
  const kept = await signIn(other, request, bob.name)
  await asOperator(other, 'PATCH', `/main/users/${ann.name}`, { disabled: true })
  await waitUntil('the session ended', async () => !(await isSignedIn(session.browser)))
  assert.equal(await isSignedIn((await signIn(other, request, ann.name)).browser), false)

  // The node of main hangs: nobody is signed in, and sessions wait, until another node has main.
  home.process.kill('SIGSTOP')
  const away = await signIn(other, request, bob.name).catch(() => undefined)
  if (away?.visit.status === 503) assert.ok(away.visit.headers.has('retry-after'))
  else assert.equal(away?.visit.status, 303, 'the other node has main by now')
  await untilHeld(other, 'main')
  await waitUntil('the session continues', () => isSignedIn(kept.browser))
  assert.equal(await isSignedIn((await signIn(other, request, ann.name)).browser), false)
  home.process.kill('SIGCONT')
})

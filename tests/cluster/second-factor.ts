import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { Browser, type Visit } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, callAsOperator } from '../support/broker.ts'
import { quipu } from '../support/quipu-process.ts'
import { asOperator, isSignedIn, requestOf, signIn } from '../worlds/people.ts'
import { clusterOf, move } from './nodes.ts'

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

/**
 * A person adds an authenticator app at one node and confirms a sign-in at the other, before and after `main` moves: every
 * node has the key of the secrets. A recovery works at the machine of any node.
 */
export async function checkSecondFactor(one: Broker, two: Broker): Promise<void> {
  const person = { name: 'nadia', password: PASSWORD }
  assert.equal((await callAsOperator(one, 'POST', '/sim/v1/worlds/main/users', person)).status, 201)
  const first = await afterPassword(one)
  const shown = await first.submit(await first.get(FACTORS), FACTORS, { answer: 'new-app' })
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)![1]!.replaceAll(' ', '')
  // Of one time, because a step may end during the test. The last of them is valid for more than a minute.
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
}

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
  const done = await quipu(['user', 'reset-second-factors', 'nadia', '--data', node.dataFolder!], { env })
  assert.deepEqual([done.code, done.stdout], [0, 'nadia is reset\n'], done.stderr)
  const { body } = await callAsOperator(node, 'GET', '/sim/v1/worlds/main/users/nadia')
  assert.deepEqual(body.second_factors, [])
  const path = '/sim/v1/worlds/main/users/nadia/second-factors'
  const { status, body: refusal } = await callAsOperator(node, 'DELETE', path)
  assert.deepEqual([status, refusal.reason], [403, 'recoveryNotLocal'])
}

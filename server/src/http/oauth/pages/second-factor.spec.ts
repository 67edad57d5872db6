import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import { SealingKey } from '@quipu/broker/access/sealing-key.ts'
import { appPurpose } from '@quipu/broker/access/second-factor.ts'
import { issueSignInLink } from '@quipu/broker/access/sign-in-link.ts'
import { hasFactor } from '@quipu/core'
import { Secret, TOTP } from 'otpauth'
import {
  addUser,
  authorizeQuery,
  Browser,
  hiddenIn,
  openPages,
  type PageScene,
  type Visit,
} from '../testing/pages.ts'
import { cookieOf } from '../testing/session.ts'

const PAGE = '/oauth/second-factor'
const FACTORS = '/oauth/factors'
const STEP_MS = 30_000
const ATTEMPTS = 3

let scene: PageScene
before(async () => {
  const failedAttempts = { userFailedAttemptsMax: ATTEMPTS, userFailedAttemptsTotalMax: 10 * ATTEMPTS }
  scene = await openPages({}, { failedAttempts })
})
after(() => scene.close())

let count = 0

/** A new user with an authenticator app, whose first code was that of the step before the last. */
async function userWithApp(key = scene.services.security.sealingKey) {
  const name = `user ${++count}`
  const userId = await addUser(scene.world, name)
  const secret = new Secret({ size: 20 }).base32
  const step = TOTP.counter() - 2
  const sealed = key.seal(secret, appPurpose(userId))
  await execute(scene.world, { kind: 'addTotp', userId, secret: sealed, step }, 'totpAdded')
  const codeIn = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * STEP_MS })
  return { name, userId, codeIn }
}

/** A browser after the right password. */
async function afterPassword(name: string, request = authorizeQuery(scene)): Promise<Browser> {
  const browser = new Browser(scene)
  const signedIn = await browser.signIn(request, name)
  assert.match(signedIn.location ?? '', /^\/oauth\/second-factor\?/)
  return browser
}

const query = () => `${PAGE}?${new URLSearchParams({ request: authorizeQuery(scene) })}`

async function enter(browser: Browser, code: string): Promise<Visit> {
  return browser.submit(await browser.get(query()), PAGE, { passcode: code })
}

const sessionStatus = async (browser: Browser): Promise<number> =>
  (await fetch(`${scene.url}/oauth/session`, { headers: cookieOf(browser) })).status

test('a right code leads on to the app that sign-in interrupted', async () => {
  const { name, codeIn } = await userWithApp()
  const browser = await afterPassword(name)
  assert.equal(await sessionStatus(browser), 401)
  const wrong = await enter(browser, '000 000')
  assert.deepEqual([wrong.status, /The code is not right/.test(wrong.html)], [400, true])
  assert.equal(await sessionStatus(browser), 401)
  const right = await enter(browser, `${codeIn(0).slice(0, 3)} ${codeIn(0).slice(3)}`)
  assert.equal(right.location, `/oauth/authorize?${authorizeQuery(scene)}`)
  assert.equal(await sessionStatus(browser), 200)
})

for (const [when, steps, isRight] of [
  ['of the step before', -1, true],
  ['of the step after', 1, true],
  ['of two steps before', -2, false],
  ['of two steps after', 2, false],
] as const)
  test(`a code ${when} is ${isRight ? 'right' : 'wrong'}`, async (t) => {
    // The step must not end between the code and its check.
    t.mock.timers.enable({ apis: ['Date'], now: Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2 })
    const { name, codeIn } = await userWithApp()
    const browser = await afterPassword(name)
    assert.equal((await enter(browser, codeIn(steps))).status, isRight ? 303 : 400)
  })

test('of many requests with the same code, one is right', async () => {
  const { name, codeIn } = await userWithApp()
  const browsers = await Promise.all([1, 2, 3].map(() => afterPassword(name)))
  const code = codeIn(0)
  const visits = await Promise.all(browsers.map((browser) => enter(browser, code)))
  assert.deepEqual(visits.map(({ status }) => status).toSorted(), [303, 400, 400])
})

test('wrong codes are counted for the user, whatever the browser; passwords are not affected', async () => {
  const { name, codeIn } = await userWithApp()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    assert.equal((await enter(await afterPassword(name), '000000')).status, 400)
  assert.equal((await enter(await afterPassword(name), '000000')).status, 429)
  const late = await enter(await afterPassword(name), codeIn(0))
  assert.deepEqual([late.status, late.headers.has('retry-after')], [429, true])
})

test('who does not know the password cannot use up the attempts for the second factor', async () => {
  const { name, userId, codeIn } = await userWithApp()
  for (const guess of [`second factor of ${name}`, userId, `factor ${userId}`])
    for (let attempt = 0; attempt <= ATTEMPTS; attempt++)
      await new Browser(scene).signIn(authorizeQuery(scene), guess, 'wrong')
  assert.equal((await enter(await afterPassword(name), codeIn(0))).status, 303)
})

test('a sign-in link asks for the second factor too', async () => {
  const { name, userId, codeIn } = await userWithApp()
  const link = await issueSignInLink(scene.world, userId, 60_000)
  const browser = new Browser(scene)
  const path = link!.at('')
  const used = await browser.submit(await browser.get(path), '/oauth/sign-in')
  assert.equal(used.location, PAGE, name)
  assert.equal(await sessionStatus(browser), 401)
  const confirmed = await browser.submit(await browser.get(PAGE), PAGE, { passcode: codeIn(0) })
  assert.deepEqual([confirmed.location, await sessionStatus(browser)], ['/', 200])
})

test('sessions from before the first factor ask for it, and their tokens end', async () => {
  const name = 'early'
  const userId = await addUser(scene.world, name)
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene), name)
  assert.equal(await sessionStatus(browser), 200)
  const key = { userId, name: 'phone', credential: 'c', publicKey: 'k', counter: 0 } as const
  await execute(scene.world, { kind: 'addPasskey', ...key }, 'passkeyAdded')
  assert.equal(await sessionStatus(browser), 401)
  assert.match((await browser.get('/oauth/sign-in')).location ?? '', /second-factor$/)
})

test('a secret that was encrypted with another key opens nothing, and the log says so', async () => {
  const { name, codeIn } = await userWithApp(new SealingKey({ kind: 'memory' }))
  assert.equal((await enter(await afterPassword(name), codeIn(0))).status, 400)
  assert.ok(scene.lines.some((line) => line.includes('encrypted with another key')))
})

test('forged responses of passkeys, foreign challenges and forms change nothing', async () => {
  const name = 'keys'
  const userId = await addUser(scene.world, name)
  const key = { userId, name: 'phone', credential: 'Y3JlZA', publicKey: 'a2V5', counter: 0 } as const
  await execute(scene.world, { kind: 'addPasskey', ...key }, 'passkeyAdded')
  const [one, other] = [await afterPassword(name), await afterPassword(name)]
  const foreign = hiddenIn(await other.get(query()), PAGE)['challenge']!
  const response = JSON.stringify({ id: 'Y3JlZA', rawId: 'Y3JlZA', type: 'public-key', response: {} })
  const own = hiddenIn(await one.get(query()), PAGE)['challenge']!
  for (const [passkey, challenge] of [
    [response, own],
    [response, foreign],
    [response, randomBytes(60).toString('base64url')],
    ['not JSON', own],
    ['null', own],
  ] as const) {
    const visit = await one.submit(await one.get(query()), PAGE, { passkey, challenge })
    assert.ok([400, 429].includes(visit.status), passkey)
  }
  const stale = await one.post(PAGE, {
    csrf: hiddenIn(await other.get(query()), PAGE)['csrf'],
    code: '000000',
  })
  assert.match(stale.html, /no longer valid/)
  assert.equal(await sessionStatus(one), 401)
})

test('a new app is stored only with its first code and for its own user', async () => {
  const [mine, theirs] = await Promise.all(
    ['mona', 'theo'].map(async (name) => {
      await addUser(scene.world, name)
      const browser = new Browser(scene)
      await browser.signIn(authorizeQuery(scene), name)
      return browser
    }),
  )
  const shown = await mine!.submit(await mine!.get(FACTORS), FACTORS, { answer: 'new-app' })
  const sealed = hiddenIn(shown, FACTORS)['secret']!
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)![1]!.replaceAll(' ', '')
  const code = new TOTP({ secret }).generate()
  const factorsOf = (name: string) => scene.world.view.users.get(scene.world.view.userNames.get(name)!)?.totp
  const stolen = await theirs!.submit(await theirs!.get(FACTORS), FACTORS, {
    answer: 'add-app',
    secret: sealed,
    passcode: code,
  })
  assert.deepEqual([stolen.status, factorsOf('theo')], [303, undefined])
  const added = await mine!.submit(shown, FACTORS, { answer: 'add-app', passcode: code })
  assert.deepEqual([added.location, factorsOf('mona')?.secret === undefined], [FACTORS, false])
  assert.equal(await sessionStatus(mine!), 200, 'the session that added it goes on')
})

test('where everybody must have a second factor, a user without one can only add it', async () => {
  await addUser(scene.world, 'novice')
  const { credentials } = scene.services.worlds.access
  credentials.factorPolicy = 'everybody'
  try {
    const browser = new Browser(scene)
    const led = await browser.signIn(authorizeQuery(scene), 'novice')
    assert.match(led.location ?? '', /^\/oauth\/factors\?/)
    assert.equal(await sessionStatus(browser), 401)
    for (const path of ['/oauth/apps', '/oauth/operator'])
      assert.equal((await browser.get(path)).location, '/oauth/sign-in')
    const shown = await browser.submit(await browser.get(led.location!), FACTORS, { answer: 'new-app' })
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)![1]!.replaceAll(' ', '')
    const done = await browser.submit(shown, FACTORS, {
      answer: 'add-app',
      passcode: new TOTP({ secret }).generate(),
    })
    assert.equal(done.location, `/oauth/authorize?${authorizeQuery(scene)}`)
    assert.equal(await sessionStatus(browser), 200)
  } finally {
    credentials.factorPolicy = 'optional'
  }
})

test('of two removals at the same time, one leaves the last factor where one is required', async () => {
  const { name, userId, codeIn } = await userWithApp()
  const key = { userId, name: 'phone', credential: 'c', publicKey: 'k', counter: 0 } as const
  const { passkeyId } = await execute(scene.world, { kind: 'addPasskey', ...key }, 'passkeyAdded')
  const browser = await afterPassword(name)
  await enter(browser, codeIn(0))
  const { credentials } = scene.services.worlds.access
  credentials.factorPolicy = 'everybody'
  try {
    const page = await browser.get(FACTORS)
    const removals = await Promise.all(
      ['app', passkeyId].map((factor) => browser.submit(page, FACTORS, { answer: 'remove', factor })),
    )
    assert.deepEqual(removals.map(({ status }) => status).toSorted(), [303, 409])
    assert.equal(hasFactor(scene.world.view.users.get(userId)!), true)
  } finally {
    credentials.factorPolicy = 'optional'
  }
})

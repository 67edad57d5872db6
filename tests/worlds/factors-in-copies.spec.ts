import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { casesOf } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'
import { loaded, save } from './files.ts'
import { asOperator, isSignedIn, newUser, PASSWORD, requestOf, signIn } from './people.ts'

const FACTORS = '/oauth/factors'
const PAGE = '/oauth/second-factor'

/** A person of `main` who adds an authenticator app; its codes of this step and the next are not used yet. */
async function personWithApp() {
  const { name } = await newUser(broker, 'main')
  const browser = new Browser(broker)
  await browser.signIn(undefined, name, PASSWORD)
  const add = async () => {
    const shown = await browser.submit(await browser.get(FACTORS), FACTORS, { answer: 'new-app' })
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)![1]!.replaceAll(' ', '')
    const codeIn = (steps: number) =>
      new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
    await browser.submit(shown, FACTORS, { answer: 'add-app', passcode: codeIn(-1) })
    return codeIn
  }
  return { name: name as string, add }
}

const copies: readonly (readonly [string, () => Promise<string>])[] = [
  ['fork', async () => (await asOperator(broker, 'POST', '/main/fork', {})).world],
  ['loaded world', async () => (await loaded(broker, await save(broker, 'main'))).world],
]
for (const [what, copy] of casesOf(copies))
  test(`a person of main is asked for the second factor of main in a ${what}`, async () => {
    const { name, add } = await personWithApp()
    const before = await copy()
    const early = await signIn(broker, await requestOf(broker, before), name)
    assert.equal(await isSignedIn(early.browser), true)
    const codeIn = await add()
    assert.equal(await isSignedIn(early.browser), false, 'a session without the factor has ended')
    const after = await copy()
    for (const [world, steps] of [
      [before, 0],
      [after, 1],
    ] as const) {
      const { users } = { users: await asOperator(broker, 'GET', `/${world}/users`) }
      const user = users.find((one: { name: string }) => one.name === name)
      assert.deepEqual(user.second_factors, [], 'a copy carries no factor')
      const { browser, visit } = await signIn(broker, await requestOf(broker, world), name)
      assert.match(visit.location ?? '', /^\/oauth\/second-factor\?/)
      assert.equal(await isSignedIn(browser), false)
      const wrong = await browser.submit(await browser.get(PAGE), PAGE, { passcode: '000000' })
      assert.deepEqual([wrong.status, await isSignedIn(browser)], [400, false])
      await browser.submit(await browser.get(PAGE), PAGE, { passcode: codeIn(steps) })
      assert.equal(await isSignedIn(browser), true)
      const page = await browser.get(FACTORS)
      assert.match(page.html, /Your second factors are in main/)
      await asOperator(broker, 'DELETE', `/${world}`)
    }
  })

test('a sign-in link to a copy asks for the second factor of main too', async () => {
  const { name, add } = await personWithApp()
  await add()
  const { world } = await asOperator(broker, 'POST', '/main/fork', {})
  const { url } = await asOperator(broker, 'POST', `/${world}/users/${name}/link`, {})
  const { pathname, search } = new URL(url)
  const browser = new Browser(broker)
  const visit = await browser.submit(await browser.get(pathname + search), '/oauth/sign-in')
  assert.deepEqual([visit.location, await isSignedIn(browser)], [PAGE, false])
  await asOperator(broker, 'DELETE', `/${world}`)
})

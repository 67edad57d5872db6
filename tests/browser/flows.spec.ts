import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { callAsOperator } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import {
  accountOf,
  addUser,
  approve,
  authorizeUrl,
  commonStage,
  exchange,
  PASSWORD,
  type Stage,
  signIn,
} from './stage.ts'

let stage: Stage
before(async () => {
  stage = await commonStage()
})

/** Opens a page in a new browser context. */
async function newPage(
  t: { after(run: () => Promise<void>): void },
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly consoleMessages: string[] }> {
  const context = await stage.browser.newContext(options)
  t.after(() => context.close())
  const page = await context.newPage()
  const consoleMessages: string[] = []
  page.on('console', (message) => consoleMessages.push(message.text()))
  return { page, context, consoleMessages }
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow' }).click()
const heading = async (page: Page) => (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''

for (const javaScriptEnabled of casesOf([true, false]))
  test(`sign in, allow, use and withdraw; scripts ${javaScriptEnabled ? 'on' : 'off'}`, async (t) => {
    const { page, consoleMessages } = await newPage(t, { javaScriptEnabled })
    const { app, callback, user, broker } = stage
    await page.goto(authorizeUrl(stage, app))
    assert.equal(await page.title(), 'Sign in to go on to Chart Lantern · Quipu')
    await signIn(page)
    assert.equal(await page.title(), 'Allow Chart Lantern? · Quipu')
    await page.getByLabel('$2,500.50 in cash').check()
    await allow(page)
    await page.waitForURL(`${callback.url}?**`)
    const { code, ...params } = callback.lastParams()
    assert.deepEqual(params, { state: 'a state', iss: broker.url })
    const { status, body } = await exchange(stage, app, code)
    assert.deepEqual([status, body.scope], [200, 'trading data'])
    const account = await accountOf(stage, body.access_token)
    assert.equal(account.body.id, user.accounts[1].account_id)

    await page.goto(`${broker.url}/oauth/apps`)
    await page.getByRole('button', { name: 'Withdraw what Chart Lantern may do' }).click()
    await page.getByText('may no longer act for you').waitFor()
    assert.equal((await accountOf(stage, body.access_token)).status, 401)
    assert.deepEqual(consoleMessages, [])
  })

test('Deny sends access_denied to the app', async (t) => {
  const { page } = await newPage(t)
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.waitForURL(`${stage.callback.url}?**`)
  const { error_description, ...params } = stage.callback.lastParams()
  assert.deepEqual(params, { error: 'access_denied', state: 'a state', iss: stage.broker.url })
})

test('a wrong password is shown at the field, and the next attempt works', async (t) => {
  const { page } = await newPage(t)
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page, 'ana', 'wrong')
  await page.getByRole('alert').getByText('The name or the password is not right.').waitFor()
  const field = page.getByLabel('Password')
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  const message = page.locator(`#${await field.getAttribute('aria-describedby')}`)
  assert.equal(await message.textContent(), 'The name or the password is not right.')
  assert.equal(await page.getByLabel('Name').inputValue(), 'ana')
  assert.equal(await field.inputValue(), '')
  await signIn(page)
  assert.match(await heading(page), /Allow Chart Lantern/)
})

test('an unused code expires after one minute', async (t) => {
  const { page } = await newPage(t)
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page)
  await allow(page)
  await page.waitForURL(`${stage.callback.url}?**`)
  const { code } = stage.callback.lastParams()
  await stage.world.advance('61s')
  const { status, body } = await exchange(stage, stage.app, code)
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
})

/** The focused element and its outline. A radio button shows the outline around its label. */
const FOCUS = `(() => {
  const { activeElement: element } = document
  return [element.textContent || element.name, getComputedStyle(element.closest('label') ?? element).outlineStyle]
})()`

test('the flow works with the keyboard only', async (t) => {
  const { page } = await newPage(t)
  const key = (name: string) => page.keyboard.press(name)
  await page.goto(authorizeUrl(stage, stage.app))
  await page.locator('#name:focus').waitFor()
  await page.keyboard.type('ana')
  await key('Tab')
  await page.keyboard.type(PASSWORD)
  await key('Enter')
  await page.waitForURL('**/oauth/authorize?**')
  const focused: string[] = []
  for (let steps = 0; steps < 12; steps++) {
    await key('Tab')
    const [name, outline] = await page.evaluate<[string, string]>(FOCUS)
    assert.equal(outline, 'solid', `${name} shows the focus`)
    focused.push(name)
    if (name === 'paper') await key('ArrowDown')
    if (name === 'Allow') break
  }
  assert.deepEqual(focused, [
    'lantern.example',
    'Terms of use',
    'Privacy policy',
    'paper',
    'apps that may act for me',
    'Deny',
    'Allow',
  ])
  await key('Space')
  await page.waitForURL(`${stage.callback.url}?**`)
  const { body } = await exchange(stage, stage.app, stage.callback.lastParams()['code'])
  const account = await accountOf(stage, body.access_token)
  assert.equal(account.body.id, stage.user.accounts[1].account_id)
})

test('an approved app gets a live and a paper account', async (t) => {
  const { page } = await newPage(t)
  const app = await stage.register({ name: 'Approved' })
  await approve(stage, app)
  await page.goto(authorizeUrl(stage, app))
  await signIn(page)
  const live = page.getByRole('radiogroup', { name: 'Live account' })
  assert.ok(await live.getByLabel('No live account').isChecked())
  const warning = page.getByText('This is live money.')
  assert.equal(await warning.isVisible(), false)
  await live.getByRole('radio').first().check()
  assert.ok(await warning.isVisible())
  await allow(page)
  await page.waitForURL(`${stage.callback.url}?**`)
  const { body } = await exchange(stage, app, stage.callback.lastParams()['code'])
  assert.equal((await accountOf(stage, body.access_token)).body.id, stage.user.accounts[0].account_id)
})

test('a missing account choice shows an error with the focus', async (t) => {
  const { page } = await newPage(t)
  const app = await stage.register({ name: 'Approved too' })
  await approve(stage, app)
  await page.goto(authorizeUrl(stage, app))
  await signIn(page)
  await page.getByLabel('No paper account').check()
  await allow(page)
  const alert = page.getByRole('alert')
  await alert.getByText('Choose the account it may act for.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'alert')
  await alert.getByRole('link').click()
  assert.equal(await page.evaluate('document.activeElement.name'), 'paper')
  assert.ok(await page.getByLabel('No paper account').isChecked())
})

test('an app with a custom URL scheme is redirected there', async (t) => {
  const { page, consoleMessages } = await newPage(t)
  const app = await stage.register({ name: 'On a phone', redirect_uri: ['com.example.app:/callback'] })
  await page.goto(authorizeUrl(stage, app))
  await signIn(page)
  const received = page.waitForResponse((response) => response.request().method() === 'POST')
  await allow(page)
  const { location = '' } = (await received).headers()
  assert.match(location, /^com\.example\.app:\/callback\?code=[\w-]{36}&state=a\+state&iss=/)
  assert.deepEqual(
    consoleMessages.filter((text) => text.includes('form-action')),
    [],
  )
})

test('a link signs in once, also after earlier GET requests', async (t) => {
  await addUser(stage.broker, 'lea', [{ flavour: 'paper' }])
  const { body } = await callAsOperator(stage.broker, 'POST', '/sim/v1/worlds/lab/users/lea/link', {})
  assert.equal((await fetch(body.url)).status, 200)
  const { page } = await newPage(t)
  await page.goto(body.url)
  await page.getByRole('button', { name: 'Sign in as lea' }).click()
  // It leads to the dashboard.
  await page.waitForURL(`${stage.pagesUrl}/`)
  await page.goto(body.url)
  assert.equal(await heading(page), 'This link has ended')
})

test('"Not you?" signs out and continues the same request with another user', async (t) => {
  const { page } = await newPage(t)
  await addUser(stage.broker, 'tom', [{ flavour: 'paper' }])
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page)
  await page.getByRole('button', { name: 'Not you? Sign out' }).click()
  await signIn(page, 'tom')
  await page.getByText('Signed in as tom').waitFor()
  assert.match(await heading(page), /Allow Chart Lantern/)
})

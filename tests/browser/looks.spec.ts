import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { callAsOperator } from '../support/broker.ts'
import { saveScreenshot } from './chromium.ts'
import { addUser, approve, authorizeUrl, openStage, PASSWORD, type Stage, signIn } from './stage.ts'

let stage: Stage
before(async () => {
  // The default of ten wrong passwords loads six more pages.
  stage = await openStage({ QUIPU_USER_FAILED_ATTEMPTS_MAX: '4' })
})
after(() => stage.close())

type Device = readonly [name: string, options: BrowserContextOptions]
const desktop = { width: 1100, height: 800 }
const phone = { width: 360, height: 740 }
/** Pages that fit a phone with large text fit the others, which only `npm run test:long` checks. */
const devices: readonly Device[] =
  process.env['LOOKS'] === 'all'
    ? [
        ['phone-dark', { viewport: phone, colorScheme: 'dark', hasTouch: true, deviceScaleFactor: 2 }],
        ['light', { viewport: desktop, colorScheme: 'light' }],
      ]
    : []

/** The default of browsers is 16 pixels. */
const LARGE = 32

for (const [name, options] of devices)
  test(`every page fits the window: ${name}`, () => checkPages(visitPages, name, options))

const largeText = ['large-text', { viewport: phone, colorScheme: 'dark' }, LARGE] as const
test('every page fits the window: with double font size', () => checkPages(visitPages, ...largeText))

test('the page after too many attempts fits the window', async () => {
  // It comes last, because sign-in is locked then.
  for (const [name, options] of devices) await checkPages(visitWait, name, options)
  await checkPages(visitWait, ...largeText)
})

type Look = (what: string) => Promise<void>
type Visit = (page: Page, look: Look) => Promise<void>

async function checkPages(
  visit: Visit,
  name: string,
  options: BrowserContextOptions,
  fontSize?: number,
): Promise<void> {
  const context = await stage.browser.newContext({ ...options, javaScriptEnabled: false })
  const page = await context.newPage()
  const client = await context.newCDPSession(page)
  const consoleMessages: string[] = []
  page.on('console', (message) => consoleMessages.push(message.text()))
  await visit(page, async (what) => {
    // A new renderer process may forget it.
    if (fontSize !== undefined) await client.send('Page.setFontSizes', { fontSizes: { standard: fontSize } })
    await saveScreenshot(page, `${what}-${name}`)
    await assertFits(client, `${what} in ${name}`)
    assert.equal(await fontSizeOf(client), `${fontSize ?? 16}px`, `font size of ${what} in ${name}`)
  })
  assert.deepEqual(
    consoleMessages.filter((text) => !/status of (400|404|429)|Autofocus processing was blocked/.test(text)),
    [],
  )
  await context.close()
}

/** Opens every page. */
async function visitPages(page: Page, look: Look): Promise<void> {
  const { broker, app, register } = stage
  await page.goto(authorizeUrl(stage, app))
  await look('sign-in')
  await signIn(page, 'ana', 'wrong')
  await look('sign-in-wrong')
  await signIn(page)
  await look('consent')
  const approved = await register({ name: 'Ledger & Co. Portfolio Rebalancer for Quiet Investors' })
  await approve(stage, approved)
  await page.goto(authorizeUrl(stage, approved, { scope: 'account:write trading data' }))
  await look('consent-both')
  await page.getByRole('radiogroup', { name: 'Live account' }).getByRole('radio').first().check()
  await look('consent-live')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.goto(authorizeUrl(stage, app, { env: 'live' }))
  await look('no-account')
  await page.goto(`${broker.url}/oauth/apps`)
  await look('apps')
  await page.goto(`${broker.url}/oauth/factors`)
  await look('factors')
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  await page.locator('summary').click()
  await look('factors-new-app')
  const ofAna = await page.context().cookies()
  await page.context().clearCookies()
  const name = `operator-${Math.trunc(performance.now())}`
  const operator = { name, password: PASSWORD, operator: true }
  await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/users', operator)
  await page.goto(`${broker.url}/oauth/sign-in`)
  await signIn(page, name)
  await page.goto(`${broker.url}/oauth/operator`)
  await look('operator')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Act as an operator' }).click()
  await look('operator-wrong')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Act as an operator' }).click()
  await look('operator-raised')
  await page.goto(`${broker.url}/oauth/apps`)
  await look('apps-operator')
  await page.context().clearCookies()
  await page.context().addCookies(ofAna)
  await page.goto(`${broker.url}/oauth/apps`)
  await page.getByRole('button', { name: 'Withdraw' }).first().click()
  await look('apps-withdrawn')
  await page.goto(authorizeUrl(stage, { ...app, redirectUri: 'https://elsewhere.example/' }))
  await page.locator('summary').click()
  await look('unsafe')
  const user = `visitor-${Math.trunc(performance.now())}`
  await addUser(broker, user, [])
  const link = await callAsOperator(broker, 'POST', `/sim/v1/worlds/lab/users/${user}/link`, {})
  await page.goto(link.body.url)
  await look('link')
  await page.goto(`${broker.url}/oauth/sign-in?once=${'x'.repeat(43)}`)
  await look('link-ended')
}

async function visitWait(page: Page, look: Look): Promise<void> {
  await page.goto(`${stage.broker.url}/oauth/sign-in`)
  for (let tries = 0; tries < 12 && !(await page.title()).startsWith('Please wait'); tries++) {
    const loaded = page.waitForEvent('load')
    await signIn(page, 'nobody', 'guessed')
    await loaded
  }
  assert.equal(await page.title(), 'Please wait · Quipu')
  await look('wait')
}

/** Asserts that the page needs no horizontal scrolling. */
async function assertFits(client: CDPSession, what: string): Promise<void> {
  const { cssContentSize, cssLayoutViewport } = await client.send('Page.getLayoutMetrics')
  const [content, window] = [cssContentSize.width, cssLayoutViewport.clientWidth]
  assert.ok(content <= window, `${what}: ${content} wide in ${window}`)
}

/** The font size of the root element, which all sizes of the page depend on. */
async function fontSizeOf(client: CDPSession): Promise<string | undefined> {
  await client.send('DOM.enable')
  await client.send('CSS.enable')
  const { root } = await client.send('DOM.getDocument')
  const { nodeId } = await client.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'html' })
  const { computedStyle } = await client.send('CSS.getComputedStyleForNode', { nodeId })
  return computedStyle.find(({ name }) => name === 'font-size')?.value
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { casesOf } from '../support/cases.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

const { url, operator } = await openStage()
/** A world that is not the one of the session: its clock and its accounts are not known before they are read. */
const world = 'late-lab'
await operator.createWorld({ body: { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' } } as never)

/** What must not be on screen before the data is there. */
const wrong =
  /not (found|there|current)|there is no|there are no|nothing (is|happened|here|yet)|no (open )?(orders?|positions?|keys|requests|runs|worlds|account)\b|(^|\s)0(\.00)?(\s|$)|closed|\bbroke\b|as of|reconnecting|wall clock|^(Live|Play the day)$|is simulated|waiting for the first/i

const addresses = [
  '',
  `?world=${world}`,
  'first',
  `tokenization?world=${world}`,
  'markets/AAPL',
  'orders',
  'ledger',
  'worlds',
  'runs',
  'activity',
  'activity?tab=events',
  'tokenization',
  'keys',
  'operator',
  ...['orders', 'ledger', 'activity', 'runs', 'keys', 'first'].map((screen) => `${screen}?world=${world}`),
]

/** Holds every response with data, but not the session and the files of the page. */
const DATA = /\/(v1|v2|v1beta\d|sim|metrics)\b/
const hold = (page: Page) => page.route(DATA, () => new Promise<void>(() => undefined))

const SHOWN = ['main', '.top', 'nav']
const wrongLines = async (page: Page): Promise<readonly string[]> => {
  const texts = await page.evaluate<readonly string[]>(
    `${JSON.stringify(SHOWN)}.map((part) => document.querySelector(part).innerText)`,
  )
  return texts.flatMap((text) => text.split('\n')).filter((line) => wrong.test(line))
}

for (const address of casesOf(addresses, 4))
  test(`while it loads, “/${address}” says nothing wrong, also when it takes long`, async (t) => {
    const page = await signedIn(t, NO_SCREEN)
    await page.clock.install()
    await hold(page)
    await page.goto(`${url}/${address}`)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.waitForFunction('document.querySelector("main")?.childElementCount > 0')
    for (const passedMs of [1500, 9000]) {
      await page.clock.runFor(passedMs)
      // What the timers changed is drawn in a later frame.
      await page.waitForTimeout(200)
      assert.deepEqual(await wrongLines(page), [])
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

test('while the accounts of a world are read, the ledger says nothing of its postings', async (t) => {
  const page = await signedIn(t, NO_SCREEN)
  const held: Route[] = []
  await page.route(/\/sim\/v1\/worlds(\?|$)/, (route) => void held.push(route))
  await page.goto(`${url}/ledger?world=${world}`)
  await page.getByRole('heading', { name: /^Where does cash/ }).waitFor()
  // Long enough for everything else.
  await page.waitForTimeout(1000)
  assert.deepEqual(await wrongLines(page), [])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const route of held) await route.continue().catch(() => undefined)
  await page.getByRole('heading', { name: 'Where does cash of 100,000.00 come from?' }).waitFor()
})

const lateAddresses = ['', 'orders', 'activity', 'worlds', 'ledger', 'keys', 'runs', 'tokenization', 'first']
/** A screen that reads again and again never has all responses. */
const RESPONSES_MAX = 60

/** Lets the responses come one after the other. Returns the lines of each step that are not on the finished screen. */
async function wrongSteps(page: Page, held: Route[], take: 'shift' | 'pop'): Promise<readonly string[]> {
  const said = new Map<string, string>()
  for (let response = 0; response < RESPONSES_MAX; response += 1) {
    for (let waited = 0; held.length === 0 && waited < 400; waited += 50) await page.waitForTimeout(50)
    const next = held[take]()
    if (!next) break
    const { pathname } = new URL(next.request().url())
    // A request that was canceled meanwhile is no longer there.
    await next.continue().catch(() => undefined)
    await page.waitForTimeout(60)
    for (const line of await wrongLines(page)) if (!said.has(line)) said.set(line, pathname)
  }
  const finished = new Set(await wrongLines(page))
  return [...said].filter(([line]) => !finished.has(line)).map(([line, path]) => `${line} (after ${path})`)
}

test('while responses come late, one after the other, nothing is said that is not on the finished screen', async (t) => {
  const page = await signedIn(t, NO_SCREEN)
  const held: Route[] = []
  await page.route(DATA, (route) => void held.push(route))
  const found: string[] = []
  for (const address of casesOf(lateAddresses))
    for (const take of casesOf(['pop', 'shift'] as const)) {
      await page.goto(`${url}/icon.svg`)
      held.length = 0
      await page.goto(`${url}/${address}?world=${world}`)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      found.push(...(await wrongSteps(page, held, take)).map((text) => `/${address}, ${take}: ${text}`))
    }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  assert.deepEqual(found, [])
})

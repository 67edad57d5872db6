import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
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
const hold = (page: Page) =>
  page.route(/\/(v1|v2|v1beta\d|sim|metrics)\b/, () => new Promise<void>(() => undefined))

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

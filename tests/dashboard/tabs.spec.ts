import { test } from 'node:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { casesOf } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

const { operator, url } = await openStage()
const world = 'tabs'
const {
  accounts: [{ account_id: accountId } = { account_id: '' }],
} = await operator.createWorld({
  body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always' },
})

test('visible tabs share streams, place orders, and stay live when one closes or is hidden', async (t) => {
  const orders = await signedIn(t, NO_SCREEN)
  const context = orders.context()
  const streams = watchStreams(context)
  await orders.goto(`${url}/orders?world=${world}`)
  const [home, activity, audit] = await Promise.all(casesOf(['/', '/activity', '/operator'], 2).map(open))
  const later = [home!, activity!, ...(audit ? [audit] : [])]
  async function open(path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${url}${path}?world=${world}`)
    return page
  }
  const own = casesOf(['requests', 'audit-log']).map((name) => `/sim/v1/worlds/${world}/${name}`)
  const shared = ['/sim/v1/worlds', `/sim/v1/worlds/${world}/accounts/${accountId}/snapshot`]
  const assertLive = async (pages: readonly Page[], minute: number) => {
    await operator.advanceClock({ params: { world }, body: { to: `2026-01-05T10:0${minute}:00-05:00` } })
    await Promise.all(pages.map((page) => page.getByText(`10:0${minute}:00`).first().waitFor()))
    const body = { transfer_type: 'ach', direction: 'INCOMING', amount: '500' } as const
    const headers = { 'x-quipu-world': world }
    await operator.createTransfer({ headers, params: { account_id: accountId }, body })
    await home!
      .getByRole('gridcell', { name: 'Deposit' })
      .nth(minute - 1)
      .waitFor()
  }

  /** Waits, because a stream is closed some time after its page. */
  const assertStreams = (expected: readonly string[]) =>
    waitUntil(`the streams ${expected}`, () => streams().join() === expected.toSorted().join())

  await home!.getByRole('tab', { name: 'Activity' }).click()
  await assertLive([orders, ...later], 1)
  await assertStreams([...own, ...shared])
  const ticket = home!.getByRole('form', { name: 'Order ticket' })
  await ticket.getByRole('button', { name: 'Buy 1 AAPL' }).click()
  await orders.getByRole('row', { name: /Buy AAPL .*1 \/ 1 .* Filled/ }).waitFor()
  await audit?.getByRole('row', { name: /placeOrder/ }).waitFor()

  // It was the first, so it read the shared streams.
  await orders.close()
  await assertLive(later, 2)
  await assertStreams([...own, ...shared])

  if (audit) await setHidden(audit, true)
  await setHidden(activity!, true)
  await assertLive([home!], 3)
  await assertStreams(shared)
  await setHidden(activity!, false)
  await assertLive([home!, activity!], 4)
  // The page got the rows that it missed.
  await activity!
    .getByRole('row', { name: /transfers/ })
    .nth(3)
    .waitFor()
})

/** Pages of Playwright are never hidden. */
const setHidden = (page: Page, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)

/** The paths of the open event streams. Tabs with other symbols or another curve have a snapshot stream each. */
function watchStreams(context: BrowserContext): () => readonly string[] {
  const open = new Set<Request>()
  context.on('request', (request) => {
    if (request.headers()['accept'] === 'text/event-stream') open.add(request)
  })
  context.on('requestfinished', (request) => open.delete(request))
  context.on('requestfailed', (request) => open.delete(request))
  return () => {
    const shown = [...open].filter((request) => !request.frame().page().isClosed())
    return [...new Set(shown.map((request) => new URL(request.url()).pathname))].toSorted()
  }
}

import type { Page } from 'playwright-core'
import type { ScreenName } from '../../web/src/screens.table.ts'

/** What a screen shows at one moment, with the names that the page gives to its numbers. */
export type Shown = {
  readonly time: string
  readonly event: number
  readonly isStale: boolean
  readonly numbers: readonly (readonly [name: string, text: string])[]
  /** Texts of numbers without a name. */
  readonly unnamed: readonly string[]
  /** The tables behind the curves, newest row first. */
  readonly curves: readonly (readonly [name: string, texts: readonly string[]])[]
  readonly sparks: readonly (readonly [name: string, path: string])[]
  /** The candles and volumes that the chart has drawn. */
  readonly drawn?: readonly [candles: readonly Drawn[], volumes: readonly Drawn[]]
}
export type Drawn = {
  readonly time: number
  readonly open?: number
  readonly high?: number
  readonly low?: number
  readonly close?: number
  readonly value?: number
}

type Address = {
  readonly path: string
  /** Tabs of the blotter to open after the screen was compared. */
  readonly tabs?: readonly string[]
  /** Names that must be on the screen. */
  readonly has: readonly RegExp[]
}

type ScreenCheck = {
  /** The addresses of the screen; `orderId` is an order that waits. */
  readonly addresses: (orderId: string) => readonly Address[]
  /** Numbers that belong to no instant of the world, as a selector. */
  readonly others?: string
}

const amount = /^account\./

/** Every screen. One without an address shows nothing that the clock of a world changes. */
export const screenChecks: Readonly<Record<ScreenName, ScreenCheck>> = {
  workspace: {
    addresses: () => [
      {
        path: '/?symbol=AAPL',
        tabs: ['Open orders', 'Fills', 'Activity', 'Positions'],
        has: [
          amount,
          /^prices\.AAPL\.last/,
          /^change\.AAPL/,
          /^trade\.AAPL\.0/,
          /^preview\./,
          /^prices\.MSFT/,
        ],
      },
      { path: '/?symbol=TSLA&bars=1m', has: [amount, /^prices\.TSLA\.last/] },
    ],
    // The time of the newest trade.
    others: '.card > header .right',
  },
  orders: {
    addresses: (orderId) => [
      { path: '/orders', has: [/^order\..*\.qty/] },
      { path: `/orders/${orderId}`, has: [/^order\..*\.filled_qty/] },
    ],
    // `limit 195.00`: the text of the order, not a number of the market.
    others: '.orders-list td, .alternatives',
  },
  ledger: {
    addresses: () => [
      { path: '/ledger', has: [/^balance\.mine\.USD/, /^posting\./, /^balance_after\./, /^moved$/] },
      { path: '/ledger?asset=AAPL', has: [/^balance\.mine\./] },
    ],
  },
  worlds: { addresses: () => [{ path: '/worlds', has: [/^tip\./] }], others: '.differences' },
  // Results of programs that have ended.
  runs: { addresses: () => [] },
  activity: {
    addresses: () => [
      { path: '/activity?tab=risk', has: [/^risk\.gross/, /^risk\.drawdown/, /^risk\.fill_rate/] },
      { path: '/activity?tab=events', has: [] },
    ],
    // Numbers of requests and events: reaction times, which risk.spec.ts checks, and lists.
    others: '.stats > :nth-last-child(-n + 2), .activity-list table',
  },
  tokenization: { addresses: () => [{ path: '/tokenization', has: [] }] },
  keys: { addresses: () => [{ path: '/keys', has: [/^customer\..*\.equity/] }] },
  // It shows the account of the home world only.
  first: { addresses: () => [{ path: '/first', has: [] }], others: '.first b, .received td' },
  // The state of the server, not of a world.
  operator: { addresses: () => [] },
}

/** Reads the stamp and all numbers in one turn of the page. `others` selects numbers of no instant. */
export const readShown = (page: Page, others = ':not(*)'): Promise<Shown | null> =>
  page.evaluate(`(() => {
    const stamp = document.querySelector('[data-as-of]')
    if (!stamp) return null
    const all = (selector, from = document) => [...from.querySelectorAll(selector)]
    const isNamed = (one) =>
      one.closest('[data-number], [data-curve], .bar-table') || one.querySelector('[data-number]')
    const drawn = document.querySelector('.plot')?.drawn?.()
    return {
      time: stamp.dataset.asOf,
      event: Number(stamp.dataset.event),
      isStale: stamp.classList.contains('stale'),
      numbers: all('[data-number]').filter((one) => /\\D/.test(one.dataset.number)).map((one) => [one.dataset.number, one.textContent]),
      unnamed: all('main .n')
        .filter((one) => /\\d/.test(one.textContent) && !isNamed(one) && !one.closest(${JSON.stringify(others)}))
        .map((one) => one.outerHTML.slice(0, 120)),
      curves: all('[data-curve]').filter((one) => one.querySelector('tbody'))
        .map((one) => [one.dataset.curve, all('td.n', one).map((cell) => cell.textContent).filter(Boolean)]),
      sparks: all('[data-spark]').map((one) => [one.dataset.spark, one.lastElementChild.getAttribute('d')]),
      ...(drawn && { drawn }),
    }
  })()`)

/** Shows the numbers behind every curve of the screen. */
export async function showTables(page: Page): Promise<void> {
  for (const button of await page.locator('[data-curve] .to-table[aria-pressed="false"]').all())
    await button.click({ timeout: 2000 }).catch(() => undefined)
}

/** Opens the equity curve of the workspace. */
export async function showEquity(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'Equity curve' })
  await opener.waitFor()
  if ((await opener.getAttribute('aria-expanded')) !== 'true') await opener.click()
  await page.locator('[data-curve="curve"] .to-table').waitFor()
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { saveScreenshot } from '../browser/chromium.ts'
import { accessibilityProblems } from './axe.ts'
import { commonDemo } from './demo.ts'
import { layoutProblems, moveTo, NO_SCREEN, openStage, signedIn } from './stage.ts'

const { operator, url, account } = await openStage()
const world = await commonDemo()
const query = `?world=${world}`
const orders = await operator.listWorldOrders({ params: { world }, query: { status: 'all' } as never })
const idOf = (client: string) => orders.find(({ client_order_id: id }) => id === client)!.id
const { requests } = await operator.listRequests({ params: { world }, query: { method: 'POST' } as never })
const request = requests.find(({ body }) => body?.includes('"dip-buyer-1"'))!.request_id

type Scene = {
  readonly name: string
  readonly path: string
  /** Brings the screen into the state to check. */
  readonly open: (page: Page) => Promise<unknown>
  /** The short run checks the screens with the most kinds of parts. */
  readonly isShort?: true
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()

const scenes: readonly Scene[] = [
  {
    name: 'workspace',
    isShort: true,
    path: `/${query}`,
    open: async (page) => {
      await page.getByRole('form', { name: 'Order ticket' }).getByLabel('Type').selectOption('Limit')
      await page.getByRole('region', { name: 'Positions' }).getByRole('row', { name: /AAPL/ }).waitFor()
      await page.getByRole('img', { name: /^AAPL, five-minute bars/ }).waitFor()
    },
  },
  {
    name: 'search',
    path: `/${query}`,
    open: async (page) => {
      await page.getByText('Buying power').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('aapl')
      await page.getByRole('option', { name: /AAPL/ }).first().waitFor()
    },
  },
  {
    name: 'keys of the keyboard',
    path: `/${query}`,
    open: async (page) => {
      await page.getByText('Buying power').first().waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    },
  },
  {
    name: 'question',
    path: `/${query}`,
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all rows' }).check()
      await button(page, /^Close \d+ positions/).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'orders', path: `/orders${query}`, open: (page) => page.getByRole('row').nth(3).waitFor() },
  {
    name: 'order',
    path: `/orders/${idOf('dip-buyer-2')}${query}`,
    open: (page) => page.getByText('would have filled at').waitFor(),
  },
  {
    name: 'orders of the blotter',
    isShort: true,
    path: `/${query}&symbol=AAPL`,
    open: async (page) => {
      await page.keyboard.press('2')
      await page.getByRole('checkbox', { name: 'with those ended today' }).check()
      await page
        .getByRole('row', { name: /Filled/ })
        .first()
        .waitFor()
      await page
        .getByRole('row', { name: /Working/ })
        .first()
        .getByRole('checkbox')
        .check()
      await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    },
  },
  {
    name: 'ledger',
    path: `/ledger${query}&group=Sales`,
    open: async (page) => {
      await page.getByText('Sold 25 AAPL').click()
      await page.getByText('my account, unsettled').first().waitFor()
    },
  },
  {
    name: 'worlds',
    isShort: true,
    path: `/worlds/${world}${query}`,
    open: (page) => page.getByRole('slider', { name: /^Session of/ }).waitFor(),
  },
  {
    name: 'new world',
    path: `/worlds${query}`,
    open: async (page) => {
      await button(page, 'New world or scenario').click()
      await page.getByRole('dialog', { name: 'New world' }).getByRole('radio').first().waitFor()
    },
  },
  {
    name: 'request',
    isShort: true,
    path: `/activity/${request}${query}`,
    open: (page) => page.getByText('posting balances to 0').waitFor(),
  },
  {
    name: 'streams',
    path: '/activity?world=main&tab=streams',
    open: (page) => page.getByRole('listitem').first().waitFor(),
  },
  {
    name: 'risk',
    path: `/activity${query}&tab=risk`,
    open: (page) => page.locator('[data-number="risk.gross"]').waitFor(),
  },
  {
    name: 'events',
    path: `/activity${query}&tab=events`,
    open: (page) => page.getByRole('row').nth(3).waitFor(),
  },
  {
    name: 'runs',
    path: '/runs?world=main',
    open: (page) => page.locator('main .card, main .empty').first().waitFor(),
  },
  {
    name: 'first steps',
    path: '/first?world=main',
    open: (page) => page.getByRole('heading').nth(1).waitFor(),
  },
  {
    name: 'tokenization',
    path: `/tokenization${query}`,
    open: async (page) => {
      await button(page, /^Mint/).click()
      await page.getByRole('form', { name: 'Mint' }).waitFor()
    },
  },
  {
    name: 'keys',
    path: '/keys',
    open: async (page) => {
      await page.getByRole('row').nth(1).waitFor()
      await button(page, /sessions of/).click()
    },
  },
  { name: 'operator', path: '/operator', open: (page) => heading(page, 'Audit log') },
  {
    // tests/browser/docs-site.spec.ts checks a page of the documentation in the short run too.
    name: 'docs',
    path: '/docs/guides/tokenization',
    open: (page) => heading(page, /Tokenization/),
  },
  {
    name: 'docs search',
    path: '/docs/api/placeOrder',
    open: async (page) => {
      await button(page, 'Try it').click()
      await page.keyboard.press('Escape')
      await page.getByRole('searchbox').fill('buying power')
      await page.locator('#hits a').first().waitFor()
    },
  },
]

const hasAllLooks = process.env['LOOKS'] === 'all'

/** A window of 1440 × 900 at 200 % zoom. */
const ZOOMED = [720, 450] as const

/**
 * The short run takes one of the looks of each scene: light on a desktop, or dark on a phone; and at 200 % zoom that of
 * the first one.
 */
const looksOf = (scene: number, width: number): readonly ('light' | 'dark')[] => {
  if (hasAllLooks) return ['light', 'dark']
  if (width === ZOOMED[0]) return scene === 0 ? ['light'] : []
  const isPhone = width < 500
  if (isPhone !== (scene % 2 === 1)) return []
  return isPhone ? ['dark'] : ['light']
}

/** The long run loads each page; the short run moves inside the page, which needs half of the CPU time. */
async function goTo(page: Page, path: string): Promise<void> {
  const isDocs = path.startsWith('/docs')
  if (hasAllLooks || isDocs) await page.goto(url + path)
  else {
    // Closes the dialog of the scene before.
    await page.keyboard.press('Escape')
    await moveTo(page, `/none${query}`)
    await moveTo(page, path)
  }
  if (isDocs) return
  // Parts around the screen have no part in its loading, so waiting for one of them would not wait for the screen.
  const title = page.locator('main h1').filter({ hasNotText: 'There is no such screen' })
  await title.first().waitFor({ state: 'attached' })
}

test('axe finds nothing on the screens, light and dark, desktop, 200 % zoom and phone, and the layout holds', async (t) => {
  const stream = account.streams.tradeUpdates()
  t.after(async () => stream.close())
  await stream.subscribe()
  const page = await signedIn(t, NO_SCREEN)
  await page.goto(url)
  const browser = await page.context().newCDPSession(page)
  const found: string[] = []
  const checked = hasAllLooks ? scenes : scenes.filter(({ isShort }) => isShort)
  for (const [scene, { name, path, open }] of checked.entries()) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await browser.send('Emulation.setTouchEmulationEnabled', { enabled: false })
    await goTo(page, path)
    await open(page)
    for (const [width, height] of [[1440, 900], ZOOMED, [390, 844]] as const) {
      await page.setViewportSize({ width, height })
      // A touch screen has larger controls.
      await browser.send('Emulation.setTouchEmulationEnabled', { enabled: width < 500 })
      found.push(...(await layoutProblems(page)).map((text) => `${name}, ${width}: ${text}`))
      for (const colorScheme of looksOf(scene, width)) {
        await page.emulateMedia({ colorScheme })
        const problems = await accessibilityProblems(page, {
          onlyColours: hasAllLooks && colorScheme === 'dark',
        })
        found.push(...problems.map((text) => `${name}, ${width}, ${colorScheme}: ${text}`))
        await saveScreenshot(page, `${name.replaceAll(' ', '-')}-${width}-${colorScheme}`)
      }
    }
  }
  assert.deepEqual(found, [])
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  authorizeQuery,
  openPages,
  PASSWORD,
  type PageScene,
  USER,
} from '../../server/src/http/oauth/testing/pages.ts'
import { curlOf, pythonOf, typescriptOf } from '../../web/docs/operations/examples.ts'
import { pythonWith } from '../programs/debian.ts'
import { plainEnvironment } from '../support/broker.ts'
import { commonBrowser, saveScreenshot } from './chromium.ts'
import { builtDocs } from './docs-site.ts'
import { signIn } from './stage.ts'

let scene: PageScene
before(async () => {
  const { web } = await builtDocs()
  scene = await openPages({}, { services: { web } })
})
after(() => scene.close())

const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 } }
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
}

/** Opens a page of the real server; a message on the console or an error of a script fails the test. */
async function open(
  t: { after(run: () => Promise<void>): void },
  path: string,
  options: BrowserContextOptions = wide,
): Promise<Page> {
  const context = await (await commonBrowser()).newContext(options)
  const problems: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  t.after(async () => {
    await context.close()
    assert.deepEqual(
      problems.filter((text) => !/status of 40[13]/.test(text)),
      [],
    )
  })
  await page.goto(`${scene.url}/${path}`)
  return page
}

test('/ opens the search, and Enter the best hit', async (t) => {
  const page = await open(t, 'docs/guides/sdk')
  await page.keyboard.press('/')
  await page.keyboard.type('insufficient buying')
  await page.locator('#hits mark').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  assert.ok(await page.getByRole('navigation', { name: 'Docs' }).isVisible())
  await page.keyboard.type('cancelAllOrders')
  await page.locator('#hits a').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/api\/cancelAllOrders$/)
})

test('theme and language are chosen once for all pages', async (t) => {
  const page = await open(t, 'docs/api/getAccount')
  await page.getByRole('tab', { name: 'Python' }).click()
  assert.ok(await page.getByText('import requests').isVisible())
  await page.getByRole('button', { name: 'Change between light and dark' }).click()
  await page.getByRole('link', { name: /listActivities$/ }).click()
  await page.getByText('import requests').waitFor()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
})

test('without scripts a page shows every language, and no control that does nothing', async (t) => {
  const page = await open(t, 'docs/api/placeOrder', { ...wide, javaScriptEnabled: false })
  for (const text of ['curl "$APCA', 'createQuipu()', 'import requests'])
    assert.ok(await page.getByText(text).first().isVisible(), text)
  assert.equal(await page.locator('button:visible, input:visible').count(), 0)
})

test('"try it" calls with the session, and asks before it changes something', async (t) => {
  const page = await open(t, 'docs/api/getAccount')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('You are not signed in.').waitFor()
  // The user of the test is in another world than main, whose sign-in page the link opens.
  await page.goto(`${scene.url}/oauth/authorize?${authorizeQuery(scene)}`)
  await signIn(page, USER, PASSWORD)
  await page.goto(`${scene.url}/docs/api/getAccount`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('.res', { hasText: '200 in' }).waitFor()
  assert.match(String(await page.locator('.result pre').textContent()), /"buying_power"/)

  await page.goto(`${scene.url}/docs/api/placeOrder`)
  const orders = () => [...scene.world.view.orders.values()].length
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('combobox', { name: 'Account' }).waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('(paper).').waitFor()
  await page.getByRole('button', { name: 'Do not send' }).click()
  assert.equal(orders(), 0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Send POST' }).click()
  const timeline = page.getByRole('link', { name: 'See its timeline' })
  await timeline.waitFor()
  const [order] = scene.world.view.orders.values()
  assert.match(String(await timeline.getAttribute('href')), new RegExp(`orders/${order!.id}\\?account=\\w+$`))
  assert.equal(orders(), 1)
})

test('the examples of a page run as they are', async (t) => {
  const { keyId, secretKey } = scene.otherKey
  const env = plainEnvironment({
    APCA_API_BASE_URL: scene.url,
    APCA_API_KEY_ID: keyId,
    APCA_API_SECRET_KEY: secretKey,
  })
  const run = async (command: string, args: readonly string[]) =>
    (await promisify(execFile)(command, args, { env })).stdout
  assert.equal(
    JSON.parse(await run('sh', ['-c', `${curlOf('placeOrder')} -s`])).client_order_id,
    'my-first-order',
  )
  assert.match(await run(pythonWith(['requests']), ['-c', pythonOf('listOrders')]), /^200 .*'my-first-order'/)
  // A file inside the repository, where the SDK is installed.
  const file = join(import.meta.dirname, `.example-${process.pid}.ts`)
  t.after(() => rmSync(file))
  writeFileSync(file, typescriptOf('listOrders'))
  assert.match(await run(process.execPath, [file]), /client_order_id: 'my-first-order'/)
})

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** One page of each kind. The short run leaves out the kinds that tests/dashboard/accessibility.spec.ts has. */
const kinds = [
  ['docs/reference/orders', phone],
  ...(process.env['LOOKS'] === 'all'
    ? ([
        ['docs', phone],
        ['docs/api/orders', wide],
        ['docs/guides/explain', wide],
        ['docs/api/replaceOrder', wide],
        ['docs/api/listOrders', phone],
      ] as const)
    : []),
] as const

for (const [path, options] of kinds)
  test(`axe finds nothing, and nothing is too wide: ${path}, ${options === phone ? 'phone, dark' : 'wide, light'}`, async (t) => {
    const page = await open(t, path, options)
    const run = page.getByRole('button', { name: 'Try it' })
    if ((await run.count()) > 0) await run.click()
    await saveScreenshot(page, `${path.replaceAll('/', '-')}-${options === phone ? 'phone' : 'wide'}`)
    // Evaluated by the debugger, to which the content policy does not apply.
    const found = await page.evaluate<readonly string[]>(
      `${axe}; axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    )
    assert.deepEqual(found, [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  })

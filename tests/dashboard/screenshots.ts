import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { commonBrowser } from '../browser/chromium.ts'
import { install } from '../programs/debian.ts'
import { makeDemo, makeFork, makeMints } from './demo.ts'
import { signInByLink } from './sign-in.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * Makes the pictures of the guides: `npm run screenshots`, or one of them: `npm run screenshots -- workspace`. The seed of the demo world makes them reproducible; random ids and
 * times of the machine are replaced by fixed ones (`steady`).
 */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'images')

type Picture = {
  readonly name: string
  readonly path: string
  /** What must be on screen. */
  readonly until: (page: Page) => Promise<unknown>
  readonly phone?: boolean
  readonly dark?: boolean
}

const world = 'flash-crash'

async function picturesOf({ operator }: Stage): Promise<readonly Picture[]> {
  const orders = await operator.listWorldOrders({
    params: { world },
    query: { status: 'all', limit: 100 } as never,
  })
  const missed = orders.find(({ client_order_id: id }) => id === 'dip-buyer-2')!
  const equity = (page: Page) => page.getByText('Equity', { exact: true }).waitFor()
  const workspace = async (page: Page) => {
    await page.locator('.spark').nth(9).waitFor()
    await page.locator('canvas').first().waitFor()
    await page.keyboard.press('2')
    await page.getByRole('checkbox', { name: 'with those ended today' }).check()
    await page
      .getByRole('row', { name: /Filled/ })
      .first()
      .waitFor()
  }
  return [
    { name: 'workspace', path: `/?world=${world}`, until: workspace },
    {
      name: 'workspace-dark',
      path: `/?world=${world}`,
      until: workspace,
      dark: true,
    },
    { name: 'workspace-phone', path: `/?world=${world}`, until: equity, phone: true, dark: true },
    {
      name: 'first',
      path: '/first',
      until: (page) => page.getByRole('img', { name: /^Equity of the demo bot/ }).waitFor(),
    },
    {
      name: 'palette',
      path: `/orders?world=${world}`,
      until: async (page) => {
        await page.getByRole('row').nth(3).waitFor()
        await page.keyboard.press('Control+k')
        await page.keyboard.type('crash 6% tsla in 2m')
        await page.getByRole('option', { name: /^Crash TSLA/ }).waitFor()
      },
    },
    {
      name: 'order',
      path: `/orders/${missed.id}?world=${world}`,
      until: (page) => page.getByText('would have filled at').waitFor(),
    },
    {
      name: 'orders',
      path: `/orders?world=${world}`,
      until: (page) => page.getByRole('row').nth(3).waitFor(),
    },
    {
      name: 'ledger',
      path: `/ledger?world=${world}`,
      until: (page) => page.getByRole('row').nth(3).waitFor(),
    },
    {
      name: 'tokenization',
      path: '/tokenization?world=tokens',
      until: (page) => page.getByRole('row').nth(3).waitFor(),
    },
    {
      name: 'activity',
      path: `/activity?world=${world}`,
      until: (page) => page.getByRole('row').nth(3).waitFor(),
    },
    {
      name: 'keys',
      path: '/keys',
      until: (page) => page.getByRole('row').nth(1).waitFor(),
    },
    {
      name: 'operator',
      path: '/operator',
      until: (page) => page.getByRole('heading', { level: 2 }).nth(2).waitFor(),
    },
    {
      name: 'worlds',
      path: `/worlds/${world}?world=${world}`,
      until: (page) => page.getByRole('region', { name: 'Orders that differ' }).waitFor(),
    },
    {
      name: 'docs',
      path: '/docs/guides/dashboard',
      until: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
    },
  ]
}

/** Replaces random ids and, on screens with machine times, times, durations and sizes. */
const steady = (hasMachineTimes: boolean) => `{
  const rules = [
    [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '6f1c9a52-3b7e-4d08-9c41-5ae27d903b6f'],
    [/\\b(PK|AK|CK|BK|OK|PA|LA)[0-9A-Z]{6,}/g, (_, kind) => kind + '3X8QK27LRD'],
    [/\\b(?=[a-f]*\\d)[0-9a-f]{8}\\b/g, '6f1c9a52'],
    ...(${hasMachineTimes} ? [
      [/\\b\\d{1,2}:\\d{2}:\\d{2}(\\.\\d+)?/g, '10:30:00'],
      [/\\b\\d+(\\.\\d+)? (ms|µs|s|kB|GB)\\b/g, '3 $2'],
      [/\\b\\d+(\\.\\d+)? MB\\b/g, '212 MB'],
    ] : []),
  ]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const [found, fixed] of rules) node.data = node.data.replace(found, fixed)
}`

const machineTimes = ['first', 'activity', 'keys', 'operator']

/** A WebP picture with 256 colours has a sixth of the size. */
function shrink(file: string): void {
  runTool('pngquant', ['--force', '--ext', '.png', '--strip', '--speed', '1', '--quality', '40-80', file])
  runTool('cwebp', ['-quiet', '-lossless', '-z', '9', file, '-o', file.replace(/png$/, 'webp')])
  rmSync(file)
}

function runTool(tool: 'pngquant' | 'cwebp', options: readonly string[]): void {
  const debianPackage = tool === 'cwebp' ? 'webp' : tool
  const run = () => spawnSync(tool, options).status
  if (run() !== 0 && !(install(debianPackage) && run() === 0))
    throw new Error(`no ${tool} on this machine: install it (Debian: apt-get install ${debianPackage})`)
}

const stage = await openStage()
const { url, brokerKey: keyId, brokerSecret: secretKey } = stage.broker
await makeDemo({ url, keyId, secretKey }, world)
await makeFork({ url, keyId, secretKey }, world)
await makeDemo({ url, keyId, secretKey }, 'demo')
await makeMints({ url, keyId, secretKey })
mkdirSync(folder, { recursive: true })
const [wanted] = process.argv.slice(2)
for (const { name, path, until, phone, dark } of await picturesOf(stage)) {
  if (wanted !== undefined && name !== wanted) continue
  const viewport = phone ? { width: 390, height: 844 } : { width: 1440, height: 900 }
  const context = await (await commonBrowser()).newContext({
    viewport,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await signInByLink(stage, page)
  await page.goto(stage.url + path)
  await until(page)
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined)
  await page.waitForTimeout(500)
  await page.evaluate(steady(machineTimes.includes(name)))
  await page.screenshot({ path: join(folder, `${name}.png`) })
  shrink(join(folder, `${name}.png`))
  console.log(`docs/images/${name}.webp`)
  await context.close()
}
await stage.broker.stop()
process.exit()

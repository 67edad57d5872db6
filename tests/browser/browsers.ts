import { after } from 'node:test'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { longPrograms, pathOf } from '../programs/debian.ts'
import { commonDebuggingUrl } from './chromium.ts'

export type BrowserName = 'chromium' | 'firefox'
/**
 * The browsers of the attack tests; their rules for cookies, credentials and origins differ. `npm run test:long` also
 * uses Firefox, which costs 20 CPU seconds.
 */
export const browserNames: readonly BrowserName[] =
  process.env['BROWSERS'] === 'all' ? ['chromium', 'firefox'] : ['chromium']

const start: Record<BrowserName, () => Promise<Browser>> = {
  chromium: async () => puppeteer.connect({ browserURL: await commonDebuggingUrl() }),
  // Playwright needs its own Firefox build; puppeteer controls any Firefox by WebDriver BiDi.
  firefox: () => puppeteer.launch({ browser: 'firefox', executablePath: pathOf(longPrograms.firefox) }),
}

const started = new Map<BrowserName, Promise<Browser>>()
after(async () => {
  for (const [name, browser] of started)
    if (name === 'chromium') await (await browser).disconnect()
    else await (await browser).close()
})

/** Opens a page in a new browser context. Each browser starts once for all specs of a process. */
export async function freshPage(
  name: BrowserName,
  t: { after(run: () => Promise<void>): void },
): Promise<Page> {
  if (!started.has(name)) started.set(name, start[name]())
  const browser = await started.get(name)!
  const context: BrowserContext = await browser.createBrowserContext()
  t.after(() => context.close())
  return context.newPage()
}

/** Clicks a button and waits for the next page. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)])
}

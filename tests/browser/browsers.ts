import { after } from 'node:test'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { quiet } from './chromium.ts'
import { chromiumProgram, firefoxProgram, pathOf } from './programs.ts'

/** The browsers in which attacks are tried: their rules on cookies, credentials and origins differ. */
export const browserNames = ['chromium', 'firefox'] as const
export type BrowserName = (typeof browserNames)[number]

const start: Record<BrowserName, () => Promise<Browser>> = {
  chromium: () =>
    puppeteer.launch({ browser: 'chrome', executablePath: pathOf(chromiumProgram), args: [...quiet] }),
  // playwright drives no Firefox but its own; puppeteer drives any by WebDriver BiDi.
  firefox: () => puppeteer.launch({ browser: 'firefox', executablePath: pathOf(firefoxProgram) }),
}

const started = new Map<BrowserName, Promise<Browser>>()
after(async () => {
  for (const browser of started.values()) await (await browser).close()
})

/** A page in a browser without history. Each browser is started once for all specs of a process. */
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

/** Presses a button and waits for the page it leads to. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)])
}

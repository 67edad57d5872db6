import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { pathOf, programs } from '../programs/debian.ts'

/**
 * Each new context is a window whose address bar loads two pages: with them a context costs 0.9 instead of 0.55 CPU
 * seconds. This list replaces that of Playwright, so it repeats the features that send requests.
 */
const unusedFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'HttpsUpgrades',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
].join()

/** Flags that stop background requests of Chromium. */
export const quietFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${unusedFeatures}`,
]

/** Starts Chromium with additional flags. */
export const launch = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: pathOf(programs.chromium), args: [...quietFlags, ...flags] })

/** A name of an attacker that resolves to this machine. */
export const REBOUND_HOST = 'rebound.example'

type Common = { readonly browser: Browser; readonly debuggingUrl: string }
let common: Promise<Common> | undefined
after(async () => (await common)?.browser.close())

function openCommon(): Promise<Common> {
  common ??= freePort().then(async (port) => ({
    browser: await launch(
      `--remote-debugging-port=${port}`,
      `--host-resolver-rules=MAP ${REBOUND_HOST} 127.0.0.1`,
    ),
    debuggingUrl: `http://127.0.0.1:${port}`,
  }))
  return common
}

/** One browser for all specs of a process, because a start costs 1.5 CPU seconds; each spec opens new contexts. */
export const commonBrowser = async (): Promise<Browser> => (await openCommon()).browser

/** The address at which another library connects to the common browser. */
export const commonDebuggingUrl = async (): Promise<string> => (await openCommon()).debuggingUrl

const screens = join(import.meta.dirname, '.screens')

/** Saves a screenshot of the whole page when SCREENS is set. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENS']) return
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true })
}

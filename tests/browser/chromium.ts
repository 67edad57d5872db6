import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'

const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** A browser as people have it, quiet: it calls nobody but us. `settings` are what its owner has set. */
export const launch = (...settings: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: program(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...settings,
    ],
  })

let common: Promise<Browser> | undefined
after(async () => (await common)?.close())

/** One for all specs of a process, each with contexts of its own; it ends with them. */
export function commonBrowser(): Promise<Browser> {
  common ??= launch()
  return common
}

/** Where it is on this machine; installed where it may be. */
function program(): string {
  const found = () => places.find((path) => path !== undefined && existsSync(path))
  const path = found() ?? (install() ? found() : undefined)
  if (path === undefined)
    throw new Error(
      'no Chromium on this machine: install it (Debian: apt-get install chromium), or say where it is with CHROMIUM=PATH',
    )
  return path
}

function install(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  if (spawnSync('which', ['apt-get']).status !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], { env, stdio: 'ignore' }).status === 0
}

const screens = join(import.meta.dirname, '.screens')

/** With SCREENS set, leaves a picture of the whole page, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENS']) return
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true })
}

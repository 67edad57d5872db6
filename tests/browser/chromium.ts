import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumProgram, pathOf } from './programs.ts'

/** It calls no server but ours. */
export const quiet: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** A browser as people have it. `settings` are what its owner has set. */
export const launch = (...settings: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: pathOf(chromiumProgram), args: [...quiet, ...settings] })

let common: Promise<Browser> | undefined
after(async () => (await common)?.close())

/** One for all specs of a process, each with contexts of its own; it ends with them. */
export function commonBrowser(): Promise<Browser> {
  common ??= launch()
  return common
}

const screens = join(import.meta.dirname, '.screens')

/** With SCREENS set, leaves a picture of the whole page, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENS']) return
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true })
}

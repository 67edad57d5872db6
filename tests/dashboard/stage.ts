import assert from 'node:assert/strict'
import { after } from 'node:test'
import { createClient, createQuipu, type Quipu } from '@quipu/sdk'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { commonBrowser } from '../browser/chromium.ts'
import { type Broker, startBroker } from '../support/broker.ts'
import { builtWeb } from '../support/web-build.ts'
import { accessibilityProblems, type Scope } from './axe.ts'
import { signInByRequests } from './sign-in.ts'

/** A broker with the built dashboard, and its operator. Specs of a process share it, and create their own worlds. */
export type Stage = {
  readonly broker: Broker
  /** The address of the dashboard. */
  readonly url: string
  readonly operator: ReturnType<typeof createClient>
  /** The owner's account in `main`. */
  readonly account: Quipu
}

/** More worlds than all specs of the process create. */
export const WORLDS_MAX = 200

let opened: Promise<Stage> | undefined
after(async () => (await opened)?.broker.stop())

export function openStage(): Promise<Stage> {
  opened ??= open()
  return opened
}

async function open(): Promise<Stage> {
  builtWeb()
  // `main` always trades, so that a test does not depend on the hour.
  const broker = await startBroker([
    '--data',
    'memory',
    '--hours',
    'always',
    '--worlds-max',
    String(WORLDS_MAX),
  ])
  const { url, brokerKey, brokerSecret, keyId, secretKey } = broker
  return {
    broker,
    url: url.replace('127.0.0.1', 'quipu.localhost'),
    operator: createClient({ url, keyId: brokerKey, secretKey: brokerSecret }),
    account: createQuipu({ url, keyId, secretKey }),
  }
}

/** What a spec needs of its test, to clean up. */
type Test = { after(run: () => Promise<void>): void; readonly passed?: boolean }

type PageOptions = BrowserContextOptions & {
  /** false: the session has no operator rights. Default: true. */
  readonly isOperator?: boolean
}

/** A page of the dashboard with a new session and no stored settings. Errors of the page fail the test. */
export async function signedIn(
  t: Test,
  path = '/',
  { isOperator = true, ...options }: PageOptions = {},
): Promise<Page> {
  const stage = await openStage()
  const page = path === NO_SCREEN ? await newPage(t, options) : await usedPage(t, options)
  await signInByRequests(stage, page.context(), isOperator)
  await page.goto(stage.url + path)
  return page
}

type Watched = { readonly page: Page; readonly problems: string[] }

/**
 * Pages of tests that have passed, by their options. To load a screen takes 0.5 CPU seconds in one of them, and 1.0 in
 * a new page, whose process starts first.
 */
const used = new Map<string, Watched[]>()

async function usedPage(t: Test, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify(options)
  const others = used.get(key) ?? []
  used.set(key, others)
  const entry = others.pop() ?? (await openPage(options))
  t.after(async () => {
    const problems = entry.problems.splice(0)
    if (t.passed !== true) await printPage(entry.page)
    if (t.passed === true && (await clean(entry.page, options))) others.push(entry)
    else await entry.page.context().close()
    assert.deepEqual(problems, [])
  })
  return entry.page
}

/** Removes what a test left in a page. Returns false if the page is closed, or shows another server. */
async function clean(page: Page, options: BrowserContextOptions): Promise<boolean> {
  const { url } = await openStage()
  if (page.isClosed() || !page.url().startsWith(url)) return false
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const event of ['request', 'response', 'requestfinished', 'requestfailed']) {
    page.removeAllListeners(event)
    context.removeAllListeners(event)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  // Stops the screen before its settings are deleted. Another origin would mean another process.
  await page.goto(url + NO_SCREEN)
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await context.clearCookies()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: options.reducedMotion ?? 'reduce' })
  await page.setViewportSize(options.viewport ?? desktop)
  return true
}

type VisitOptions = {
  /** false: the session has no operator rights. Default: true. */
  readonly isOperator?: boolean
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Pages that tests use one after the other, by the rights of their session. */
const visited = new Map<boolean, { readonly page: Page; readonly problems: string[] }>()

/**
 * Moves a signed-in page to a screen, as a link does. `signedIn` costs 0.4 CPU seconds more, so it is for tests that
 * load a page again, or that change its session or settings. Errors of the page fail the test.
 */
export async function visit(
  t: Test,
  path: string,
  { isOperator = true, viewport = desktop }: VisitOptions = {},
): Promise<Page> {
  const { page, problems } = visited.get(isOperator) ?? (await openVisited(isOperator))
  await page.setViewportSize(viewport)
  await moveTo(page, path)
  t.after(async () => {
    assert.deepEqual(problems.splice(0), [])
    if (t.passed !== true) return printPage(page).then(closeVisited)
    // An address without a screen keeps the world, and has nothing to draw.
    await moveTo(page, `/none${new URL(page.url()).search}`)
  })
  return page
}

async function openVisited(isOperator: boolean): Promise<{ page: Page; problems: string[] }> {
  const page = await signedIn({ after: () => undefined }, '/keys', { isOperator })
  const entry = { page, problems: watchProblems(page) }
  visited.set(isOperator, entry)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return entry
}

/** Prints what a failed test saw. */
async function printPage(page: Page): Promise<void> {
  const text = await page.evaluate<string>('document.body.innerText').catch(String)
  console.error(`${page.url()}\n${text.replaceAll(/\n+/g, ' | ').slice(0, 3000)}`)
}

/** Closes the pages of `visit`, for example when their sessions have ended. */
export async function closeVisited(): Promise<void> {
  for (const { page } of visited.values()) await page.context().close()
  visited.clear()
}

/** Goes to an address without loading the page again. */
export const moveTo = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent('popstate'))`)

const desktop = { width: 1440, height: 900 }

/** An address that loads no screen, for tests that prepare a signed-in page first. */
export const NO_SCREEN = '/icon.svg'

/** A page of a new browser session. Errors of the page fail the test. */
export async function newPage(t: Test, options: BrowserContextOptions = {}): Promise<Page> {
  const { page, problems } = await openPage(options)
  t.after(async () => {
    await page.context().close()
    assert.deepEqual(problems, [])
  })
  return page
}

async function openPage(options: BrowserContextOptions): Promise<Watched> {
  const context = await (await commonBrowser()).newContext({
    viewport: desktop,
    // Animations cost a tenth of a core for each page.
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  return { page, problems: watchProblems(page) }
}

/** Errors of scripts and of the content policy. Failed requests are not errors: a page that closes aborts some. */
function watchProblems(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(text))
      problems.push(text)
  })
  return problems
}

/** The session of another browser of the same user, for tests with two windows. */
export const contextOf = (page: Page): BrowserContext => page.context()

/** Fails if axe finds a problem of accessibility. */
export const assertAccessible = async (page: Page, scope: Scope = {}): Promise<void> =>
  assert.deepEqual(await accessibilityProblems(page, scope), [])

/** Elements beyond the right edge, a page that scrolls beside its content, covered labels, and what only a mouse reaches. */
const layoutNow = (page: Page): Promise<readonly string[]> =>
  // A text, because the checker of the tests knows no documents.
  page.evaluate(`(() => {
    const { clientWidth, scrollHeight } = document.documentElement
    const all = [...document.querySelectorAll('main *')]
    const found = (words, elements) =>
      elements.slice(0, 3).map(({ outerHTML }) => words + ': ' + outerHTML.slice(0, 120))
    const isApp = document.querySelector('.app') !== null
    const box = (one) => one.getBoundingClientRect()
    const covers = (upper, lower) =>
      upper.left < lower.right && lower.left < upper.right && upper.top < lower.bottom && lower.top < upper.bottom
    const stops = 'a[href], button, input, select, summary, label, [tabindex="0"]'
    return [
      ...found('too wide', all.filter((one) =>
        box(one).right > clientWidth + 1 && !one.closest('.scroll, .virtual-list, pre, svg, .wide'))),
      ...(isApp && scrollHeight > innerHeight ? ['the page is ' + scrollHeight + ' high'] : []),
      ...found('covered by the button', all.filter((one) =>
        one.matches('.chart text') && covers(box(one.closest('.chart').querySelector('.to-table')), box(one)))),
      ...found('only for a mouse', all.filter((one) =>
        getComputedStyle(one).cursor === 'pointer' && !one.closest(stops) && !one.querySelector(stops) &&
        getComputedStyle(one.parentElement).cursor !== 'pointer')),
    ]
  })()`)

const LAYOUT_TRIES = 20

/** The problems of a layout that no longer changes: charts take a new width in a later frame. */
export async function layoutProblems(page: Page): Promise<readonly string[]> {
  for (let left = LAYOUT_TRIES; ; left -= 1) {
    const problems = await layoutNow(page)
    if (problems.length === 0 || left === 0) return problems
    await page.waitForTimeout(100)
  }
}

/** Fails if the layout of the page is broken. */
export const assertFits = async (page: Page): Promise<void> =>
  assert.deepEqual(await layoutProblems(page), [])

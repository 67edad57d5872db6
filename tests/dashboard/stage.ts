import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after } from 'node:test'
import { createClient, createQuipu, type Quipu } from '@quipu/sdk'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { commonBrowser } from '../browser/chromium.ts'
import { type Broker, startBroker } from '../support/broker.ts'
import { builtWeb } from '../support/web-build.ts'

/** A broker with the built dashboard, and its operator. Specs of a process share it, and create their own worlds. */
export type Stage = {
  readonly broker: Broker
  /** The address of the dashboard. */
  readonly url: string
  readonly operator: ReturnType<typeof createClient>
  /** The owner's account in `main`. */
  readonly account: Quipu
}

let opened: Promise<Stage> | undefined
after(async () => (await opened)?.broker.stop())

export function openStage(): Promise<Stage> {
  opened ??= open()
  return opened
}

async function open(): Promise<Stage> {
  builtWeb()
  // `main` always trades, so that a test does not depend on the hour.
  const broker = await startBroker(['--data', 'memory', '--hours', 'always', '--worlds-max', '100'])
  const { url, brokerKey, brokerSecret, keyId, secretKey } = broker
  return {
    broker,
    url: url.replace('127.0.0.1', 'quipu.localhost'),
    operator: createClient({ url, keyId: brokerKey, secretKey: brokerSecret }),
    account: createQuipu({ url, keyId, secretKey }),
  }
}

/** What a spec needs of its test, to clean up. */
type Test = { after(run: () => Promise<void>): void }

type PageOptions = BrowserContextOptions & {
  /** false: the session has no operator rights. Default: true. */
  readonly isOperator?: boolean
}

/** A page of the dashboard, signed in through a link. Errors of the page fail the test. */
export async function signedIn(
  t: Test,
  path = '/',
  { isOperator = true, ...options }: PageOptions = {},
): Promise<Page> {
  const stage = await openStage()
  const page = await newPage(t, options)
  if (path === '/') await signInByLink(stage, page, isOperator)
  else {
    await signInByRequests(stage, page.context(), isOperator)
    await page.goto(stage.url + path)
  }
  return page
}

type VisitOptions = {
  /** false: the session has no operator rights. Default: true. */
  readonly isOperator?: boolean
  readonly viewport?: { readonly width: number; readonly height: number }
}

type VisitTest = Test & { readonly passed?: boolean }

/** Pages that tests use one after the other, by the rights of their session. */
const visited = new Map<boolean, { readonly page: Page; readonly problems: string[] }>()

/**
 * Moves a signed-in page to a screen, as a link does. A new page costs 0.7 CPU seconds more, so it is for tests that
 * load a page again, or that change its session or settings. Errors of the page fail the test.
 */
export async function visit(
  t: VisitTest,
  path: string,
  { isOperator = true, viewport = desktop }: VisitOptions = {},
): Promise<Page> {
  const { page, problems } = visited.get(isOperator) ?? (await openVisited(isOperator))
  await page.setViewportSize(viewport)
  await moveTo(page, path)
  t.after(async () => {
    assert.deepEqual(problems.splice(0), [])
    if (t.passed !== true) return closeVisited()
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
  const context = await (await commonBrowser()).newContext({
    viewport: desktop,
    // Animations cost a tenth of a core for each page.
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const problems = watchProblems(page)
  t.after(async () => {
    await context.close()
    assert.deepEqual(problems, [])
  })
  return page
}

/** A sign-in link, as `quipu open` prints it. */
async function signInLink(
  { operator, broker }: Stage,
  isOperator: boolean,
  user = broker.userName,
): Promise<string> {
  const params = { world: 'main', user }
  return (await operator.createSignInLink({ params, body: { operator: isOperator } as never })).url
}

/** Signs in without a page: the sign-in page and the workspace cost as much as the screen that the test opens. */
async function signInByRequests(stage: Stage, context: BrowserContext, isOperator: boolean): Promise<void> {
  const link = await signInLink(stage, isOperator)
  const html = await (await context.request.get(link)).text()
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const form = Object.fromEntries(fields.map(([, name, value]) => [name!, value!]))
  const response = await context.request.post(link.replace(/\?.*/, ''), { form, maxRedirects: 0 })
  assert.equal(response.status(), 303, await response.text())
  // Node does not resolve the name that the pages have.
  const domain = new URL(stage.url).hostname
  await context.addCookies((await context.cookies()).map((cookie) => ({ ...cookie, domain })))
}

/** Follows a sign-in link in the browser. */
export async function signInByLink(
  stage: Stage,
  page: Page,
  isOperator = true,
  user?: string,
): Promise<void> {
  await page.goto(await signInLink(stage, isOperator, user))
  await page.getByRole('button', { name: /Sign in/ }).click()
  await page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('navigation', { name: 'Screens' }))
    .first()
    .waitFor()
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

const axeSource = readFileSync(
  createRequire(join(import.meta.dirname, '../../web/package.json')).resolve('axe-core/axe.min.js'),
  'utf8',
)

type Axe = {
  run(options: object): Promise<{
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }>
}

/** What axe finds. Another theme changes colours only, so `onlyColours` skips the other rules. */
export async function accessibilityProblems(page: Page, onlyColours = false): Promise<readonly string[]> {
  // The policy of the page forbids scripts that are not its own; an evaluated one is the browser's.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  const options = onlyColours ? { runOnly: ['color-contrast'] } : {}
  const { violations } = await page.evaluate(
    (chosen) => (globalThis as unknown as { axe: Axe }).axe.run(chosen),
    { ...options, resultTypes: ['violations'] },
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

/** Fails if axe finds a problem of accessibility. */
export const assertAccessible = async (page: Page): Promise<void> =>
  assert.deepEqual(await accessibilityProblems(page), [])

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

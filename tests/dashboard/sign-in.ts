import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import type { Stage } from './stage.ts'

/** A sign-in link, as `quipu open` prints it. */
export async function signInLink(
  { operator, broker }: Stage,
  isOperator = true,
  user = broker.userName,
): Promise<string> {
  const params = { world: 'main', user }
  return (await operator.createSignInLink({ params, body: { operator: isOperator } as never })).url
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

/** Signs in without a page: the sign-in page and the workspace cost as much as the screen that the test opens. */
export async function signInByRequests(
  stage: Stage,
  context: BrowserContext,
  isOperator: boolean,
): Promise<void> {
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

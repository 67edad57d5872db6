import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { authorizeUrl, commonStage, type Stage, signIn } from './stage.ts'

let stage: Stage
/** A page on another port of the same host: a browser treats it as the same site. */
let sameSite: { readonly url: string; show(html: string): void; close(): void }
before(async () => {
  stage = await commonStage()
  sameSite = await openSameSite()
})
after(() => sameSite.close())

async function openSameSite(): Promise<typeof sameSite> {
  let html = ''
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://quipu.localhost:${(server.address() as AddressInfo).port}/`,
    show: (shown) => {
      html = shown
    },
    close: () => void server.close().closeAllConnections(),
  }
}

/** Opens the consent page with a signed-in user. */
async function openConsent(t: { after(run: () => Promise<void>): void }): Promise<Page> {
  const context = await stage.browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page)
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  return page
}

test('no page is shown in a frame', async (t) => {
  const page = await openConsent(t)
  const urls = [
    authorizeUrl(stage, stage.app),
    `${stage.pagesUrl}/oauth/sign-in`,
    `${stage.pagesUrl}/oauth/apps`,
  ]
  for (const url of urls) {
    sameSite.show(`<iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`)
    await page.goto(sameSite.url)
    const frame = page.frames()[1]!
    await frame.waitForLoadState()
    assert.equal(frame.url(), 'chrome-error://chromewebdata/')
  }
})

test('a form of a same-site page is refused, although the browser sends the cookie', async (t) => {
  const page = await openConsent(t)
  const csrf = await page.locator('form[action="authorize"] [name=csrf]').inputValue()
  const request = await page.locator('form[action="authorize"] [name=request]').inputValue()
  const paper = await page.getByRole('radio').first().inputValue()
  const fields = { csrf, request, paper, answer: 'allow' }
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input name="${name}" value="${value.replaceAll('&', '&amp;')}">`,
  )
  for (const action of ['authorize', 'apps', 'sign-out']) {
    sameSite.show(
      `<form method="post" action="${stage.pagesUrl}/oauth/${action}">${inputs}<button>x</button></form>`,
    )
    await page.goto(sameSite.url)
    const received = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button').click()
    const response = await received
    assert.equal(response.status(), 403)
    const sent = await response.request().allHeaders()
    assert.match(sent['cookie'] ?? '', /quipu_session=/)
    assert.equal(sent['sec-fetch-site'], 'same-site')
  }
  await page.goto(authorizeUrl(stage, stage.app))
  await page.getByText('Signed in as ana').waitFor()
})

test('a page of the server gets a token for its user, and no other page does', async (t) => {
  const page = await openConsent(t)
  const accountId = stage.user.accounts[0].account_id as string
  const requestToken = (url: string) =>
    page.evaluate(
      async ([to, account_id]) => {
        const headers = { 'Content-Type': 'application/json' }
        const session = await fetch(`${to}/oauth/session`, { credentials: 'include' }).catch(() => undefined)
        const { form_token = 'unreadable' } = ((await session?.json()) ?? {}) as { form_token?: string }
        const body = JSON.stringify({ account_id, form_token })
        const response = await fetch(`${to}/oauth/session/token`, {
          method: 'POST',
          headers,
          body,
          credentials: 'include',
        }).catch(() => undefined)
        return (
          response && { status: response.status, body: (await response.json()) as { access_token?: string } }
        )
      },
      [url, accountId] as const,
    )
  await page.goto(`${stage.pagesUrl}/healthz`)
  const response = await requestToken('')
  assert.equal(response?.status, 200)
  const account = await fetch(`${stage.broker.url}/v2/account`, {
    headers: { authorization: `Bearer ${response?.body.access_token}` },
  })
  assert.equal(((await account.json()) as { id: string }).id, accountId)
  sameSite.show('<p>hello')
  await page.goto(sameSite.url)
  assert.equal(await requestToken(stage.pagesUrl), undefined)
})

test('scripts cannot read the cookie, and the name of an app is not executed', async (t) => {
  const page = await openConsent(t)
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  assert.equal(await page.evaluate('document.cookie'), '')
  const name = `<img src=x onerror=alert(1)><script>alert(2)</script>`
  const app = await stage.register({ name, description: name })
  await page.goto(authorizeUrl(stage, app, { state: name }))
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), `Allow ${name} to act for you?`)
  await page.goto(authorizeUrl(stage, { ...app, redirectUri: `https://x.example/${name}` }))
  assert.equal(await page.locator('img, script').count(), 0)
  assert.deepEqual(dialogs, [])
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Body, callAsOperator } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { StreamClient } from '../support/stream-client.ts'
import { accountOf, authorizeUrl, commonStage, PASSWORD, type Stage, signIn } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await commonStage()
})

/** Opens a page of the server with the signed-in user ana. */
async function openServerPage(t: { after(run: () => Promise<void>): void }): Promise<Page> {
  const context = await stage.browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(authorizeUrl(stage, stage.app))
  await signIn(page)
  await page.getByText('Signed in as ana').waitFor()
  await page.goto(`${stage.pagesUrl}/healthz`)
  return page
}

const fetchFrom = (page: Page, path: string, body?: object): Promise<{ status: number; body: Body }> =>
  page.evaluate(
    async ([url, text]) => {
      const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text ?? '' }
      const response = await fetch(url, text === undefined ? {} : sent)
      return { status: response.status, body: await response.json() }
    },
    [path, body && JSON.stringify(body)] as const,
  )

async function requestToken(page: Page, options: object): Promise<{ status: number; body: Body }> {
  const { form_token } = (await fetchFrom(page, '/oauth/session')).body
  return fetchFrom(page, '/oauth/session/token', { form_token, ...options })
}

async function tokenOf(page: Page, options: object): Promise<string> {
  const { status, body } = await requestToken(page, options)
  assert.equal(status, 200)
  return body.access_token
}

/** Opens both streams with a token. */
async function openStreams(token: string): Promise<readonly StreamClient[]> {
  const trades = await StreamClient.open(`${stage.broker.url}/stream`)
  const response = await trades.request({ action: 'authenticate', data: { oauth_token: token } })
  assert.equal(response.data.status, 'authorized')
  const data = await StreamClient.open(`${stage.broker.url}/v2/sip`)
  await data.next()
  const [received] = await data.request({ action: 'auth', key: 'oauth', secret: token })
  assert.deepEqual([received.T, received.msg], ['success', 'authenticated'])
  return [trades, data]
}

const changeUser = (body: object) =>
  callAsOperator(stage.broker, 'PATCH', '/sim/v1/worlds/lab/users/ana', body)

test('a page reads the signed-in user and the accounts', async (t) => {
  const page = await openServerPage(t)
  const { status, body } = await fetchFrom(page, '/oauth/session')
  assert.equal(status, 200)
  assert.deepEqual([body.name, body.operator, body.world], ['ana', false, 'lab'])
  assert.deepEqual(
    body.accounts.map(({ id }: { id: string }) => id),
    stage.user.accounts.map(({ account_id }: { account_id: string }) => account_id),
  )
})

const ends: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  [
    'sign-out',
    async (page) => {
      await page.goto(`${stage.broker.url}/oauth/apps`)
      await page.getByRole('button', { name: 'Not you? Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
  ],
  ['a new password', () => changeUser({ password: PASSWORD })],
  [
    'being disabled',
    async () => {
      await changeUser({ disabled: true })
      await changeUser({ disabled: false })
    },
  ],
]
for (const [cause, end] of casesOf(ends))
  test(`${cause} revokes the tokens of a page and closes their streams`, async (t) => {
    const page = await openServerPage(t)
    const token = await tokenOf(page, { account_id: stage.user.accounts[0].account_id })
    assert.equal((await accountOf(stage, token)).status, 200)
    const open = await openStreams(token)
    const closed = open.map(({ socket }) => once(socket, 'close') as Promise<[number]>)
    await end(page)
    assert.equal((await accountOf(stage, token)).status, 401)
    assert.deepEqual(
      (await Promise.all(closed)).map(([code]) => code),
      [1008, 1008],
    )
  })

test('an operator of main controls worlds from a page until the operator role is removed', async (t) => {
  const users = '/sim/v1/worlds/main/users'
  const olga = { name: 'olga', password: PASSWORD, operator: true }
  assert.equal((await callAsOperator(stage.broker, 'POST', users, olga)).status, 201)
  const context = await stage.browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(`${stage.pagesUrl}/oauth/sign-in`)
  await signIn(page, 'olga')
  await page.goto(`${stage.pagesUrl}/healthz`)
  assert.equal((await requestToken(page, { operator: true })).status, 403)
  await page.goto(`${stage.pagesUrl}/oauth/apps`)
  await page.getByRole('link', { name: 'Raise the rights for one hour' }).click()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Act as an operator for one hour' }).click()
  await page.getByText('This session acts as an operator').waitFor()
  await page.goto(`${stage.pagesUrl}/healthz`)
  const token = await tokenOf(page, { operator: true })
  const worlds = () =>
    fetch(`${stage.broker.url}/sim/v1/worlds`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await worlds()).status, 200)
  await callAsOperator(stage.broker, 'PATCH', `${users}/olga`, { operator: false })
  assert.equal((await worlds()).status, 401)
  assert.equal((await fetchFrom(page, '/oauth/session')).status, 401)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, createQuipu } from '@quipu/sdk'
import { hasAllCases } from '../support/cases.ts'
import { assertAccessible, assertFits, newPage, openStage, visit, WORLDS_MAX } from './stage.ts'

const stage = await openStage()
const { operator, broker } = stage
const lab = await operator.createWorld({ body: { world: 'keys-lab' } as never })
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' } as never
const phone = { viewport: { width: 390, height: 844 } }

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof ApiError && error.status === status

test('a key is created, used and revoked', async (t) => {
  const page = await visit(t, '/keys?world=keys-lab')
  await page.getByRole('button', { name: 'Create key' }).click()
  const created = page.getByRole('region', { name: 'New key' })
  const codes = created.locator('code')
  await codes.nth(1).waitFor()
  const [keyId = '', secretKey = ''] = await codes.allTextContents()
  const row = page.getByRole('row', { name: new RegExp(keyId) })
  await row.getByText('Never').first().waitFor()

  const program = createQuipu({ url: broker.url, keyId, secretKey })
  await program.orders.place(order)
  // The only "Never" that stays is the one of the expiry.
  await row.getByRole('cell', { name: 'Never' }).nth(1).waitFor({ state: 'detached' })

  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText(/Programs that use this key get 401 from now on/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await program.account.get()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: `Revoke ${keyId.slice(0, 8)}` }).click()
  await row.waitFor({ state: 'detached' })
  await assert.rejects(program.account.get(), refusedWith(401))
})

test('a user without operator rights creates, uses and revokes a key of the own account', async (t) => {
  const page = await visit(t, '/keys', { isOperator: false })
  const list = page.getByRole('region', { name: 'API keys' })
  await list.getByRole('row', { name: new RegExp(broker.keyId) }).waitFor()
  // Keys of partners and operators are not those of the account.
  assert.equal(await list.getByText(/Partner|Operator/).count(), 0)
  assert.equal(await page.getByRole('group', { name: 'Kind of key' }).count(), 0)
  await page.getByRole('button', { name: 'Create key' }).click()
  const codes = page.getByRole('region', { name: 'New key' }).locator('code')
  await codes.nth(1).waitFor()
  const [keyId = '', secretKey = ''] = await codes.allTextContents()
  const row = list.getByRole('row', { name: new RegExp(keyId) })
  await row.waitFor()
  if (hasAllCases) await assertAccessible(page)
  await page.setViewportSize(phone.viewport)
  await assertFits(page)

  const program = createQuipu({ url: broker.url, keyId, secretKey })
  await program.orders.place(order)
  await row.getByRole('cell', { name: 'Never' }).nth(1).waitFor({ state: 'detached' })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: `Revoke ${keyId.slice(0, 8)}` }).click()
  await row.waitFor({ state: 'detached' })
  await assert.rejects(program.account.get(), refusedWith(401))
})

test('an app is withdrawn, by keyboard', async (t) => {
  const app = await operator.createOAuthClient({
    body: { name: 'Rebalancer', redirect_uri: ['http://127.0.0.1:9000/callback'] } as never,
  })
  const { access_token: accessToken } = await operator.issueOAuthToken({
    body: {
      client_id: app.client_id,
      client_secret: app.client_secret!,
      redirect_uri: app.redirect_uri[0]!,
      scope: 'trading',
      account_id: broker.accountId,
    },
  } as never)
  const program = createQuipu({ url: broker.url, accessToken })
  await program.account.get()

  const page = await visit(t, '/keys', phone)
  const row = page.getByRole('region', { name: 'Apps with access' }).getByRole('row', { name: /Rebalancer/ })
  await row.waitFor()
  await assertFits(page)
  await row.focus()
  await page.keyboard.press('x')
  await page.getByText(/The app loses access to PA\w+ at once: its token ends/).waitFor()
  await page.getByRole('button', { name: 'Withdraw Rebalancer' }).last().click()
  await row.waitFor({ state: 'detached' })
  await assert.rejects(program.account.get(), refusedWith(401))
})

test('a person is created, gets a link, and sees no keys', async (t) => {
  const page = await visit(t, '/keys')
  await page.getByLabel('Name', { exact: true }).fill('anna')
  await page.getByRole('button', { name: 'Create person' }).click()
  await page.getByRole('button', { name: '0 sessions of anna' }).click()
  await page.getByRole('button', { name: 'Create sign-in link' }).click()
  const link = await page.getByText(/once=/).textContent()

  const other = await newPage(t)
  await other.goto(link!)
  await other.getByRole('button', { name: /Sign in/ }).click()
  await other.getByRole('navigation', { name: 'Main' }).waitFor()
  await other.goto(`${stage.url}/keys`)
  await other.getByRole('link', { name: /Manage your apps/ }).waitFor()
  await other.getByText('No keys yet').waitFor()
  assert.equal(await other.getByText('Revoke').count(), 0)

  await page.getByRole('button', { name: '1 sessions of anna' }).waitFor()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('button', { name: 'End the session' }).click()
  await page.getByText('anna is not signed in anywhere.').waitFor()
})

test('an operator runs an audit, follows the audit log, and sees why there is no backup', async (t) => {
  const page = await visit(t, '/operator?world=keys-lab')
  await page.getByText('The process answers and main accepts commands.').waitFor()
  await page.getByText(`of ${WORLDS_MAX}`, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run audit' }).click()
  await page.getByText('Balanced', { exact: true }).waitFor()
  await page.getByText(/^[\d,]+ events checked at /).waitFor()
  // The data of the tests is in memory.
  await page.getByRole('button', { name: 'Start backup' }).click()
  await page.getByText('No backup was made').waitFor()
  const { key_id: keyId, secret_key: secretKey } = lab.accounts[0]!
  await page.getByLabel('Key, user or app id').fill(keyId)
  await page.keyboard.press('Enter')
  await page.getByText('No entry').waitFor()
  await createQuipu({ url: broker.url, keyId, secretKey }).orders.place(order)
  await page.getByRole('row', { name: new RegExp(`placeOrder .* key ${keyId}`) }).waitFor()
  await page.context().setOffline(true)
  await page.evaluate("dispatchEvent(new Event('focus'))")
  await page.getByText('The numbers are those of the last response.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try now' }).first().click()
  await page.getByText('The process answers and main accepts commands.').waitFor()
  await page.setViewportSize(phone.viewport)
  await assertFits(page)
})

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, send } = stage

const users = (route: string, body?: unknown) => {
  const [method, path = ''] = route.split(' ')
  return send(`${method} /sim/v1/worlds/lab/users${path}`, body, server.operatorKey)
}
/** Adds a user with an account of the partner, so that the partner may name the user. */
const customer = async (name: string): Promise<string> =>
  (await users('POST ', { name, account_ids: [await stage.openAccount()] })).body.user_id
const ana = await customer('Ana')

for (const [by, user] of [
  ['name', ' aNA '],
  ['id', ana],
] as const)
  test(`an account belongs to the user named by ${by} as soon as it is opened`, async () => {
    const made = await send('POST /v1/accounts', { user, cash: '5', contact: { city: 'Lima' } })
    assert.deepEqual([made.status, made.body.user_id, made.body.user], [200, ana, undefined])
    assert.deepEqual((await send(`GET /v1/accounts/${made.body.id}`)).body, made.body)
    const { accounts } = (await users('GET /Ana')).body
    assert.ok(accounts.some((account: { account_id: string }) => account.account_id === made.body.id))
  })

test('an unknown user is refused, and no account is opened', async () => {
  const before = (await send('GET /v1/accounts')).body.length
  const { status, body } = await send('POST /v1/accounts', { user: 'nobody' })
  assert.deepEqual([status, body.reason], [404, 'userNotFound'])
  assert.equal((await send('GET /v1/accounts')).body.length, before)
})

test('a repeated call returns the same account, also after the user is deleted', async () => {
  const id = await customer('Brief')
  const body = { user: 'Brief', client_account_id: 'of-brief' }
  const headers = { 'Idempotency-Key': 'of-brief' }
  const first = await send('POST /v1/accounts', body, key, headers)
  assert.equal(first.body.user_id, id)
  for (const { account_id } of (await users('GET /Brief')).body.accounts)
    await send(`POST /v1/accounts/${account_id}/actions/close`)
  assert.equal((await users('DELETE /Brief')).status, 204)
  for (const again of [
    await send('POST /v1/accounts', body, key, headers),
    await send('POST /v1/accounts', body),
  ])
    assert.deepEqual([again.status, again.body.id], [200, first.body.id])
})

test('an account without a user has no user_id', async () => {
  assert.equal((await send('POST /v1/accounts', {})).body.user_id, undefined)
})

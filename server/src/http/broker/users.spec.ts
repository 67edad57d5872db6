import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, ask } = stage

const people = (route: string, body?: unknown) => {
  const [method, path = ''] = route.split(' ')
  return ask(`${method} /sim/v1/worlds/lab/users${path}`, body, server.operatorKey)
}
/** A person who has an account with the partner, so that the partner may name them. */
const customer = async (name: string): Promise<string> =>
  (await people('POST ', { name, account_ids: [await stage.opened()] })).body.user_id
const ana = await customer('Ana')

for (const [by, user] of [
  ['name', ' aNA '],
  ['id', ana],
] as const)
  test(`an account belongs to a person, named by ${by}, as soon as it is opened`, async () => {
    const made = await ask('POST /v1/accounts', { user, cash: '5', contact: { city: 'Lima' } })
    assert.deepEqual([made.status, made.body.user_id, made.body.user], [200, ana, undefined])
    assert.deepEqual((await ask(`GET /v1/accounts/${made.body.id}`)).body, made.body)
    const { accounts } = (await people('GET /Ana')).body
    assert.ok(accounts.some((account: { account_id: string }) => account.account_id === made.body.id))
  })

test('someone who is not there is refused, and no account is opened', async () => {
  const before = (await ask('GET /v1/accounts')).body.length
  const { status, body } = await ask('POST /v1/accounts', { user: 'nobody' })
  assert.deepEqual([status, body.reason], [404, 'userNotFound'])
  assert.equal((await ask('GET /v1/accounts')).body.length, before)
})

test('the same call again is the same account, also when the person is gone since', async () => {
  const id = await customer('Brief')
  const body = { user: 'Brief', client_account_id: 'of-brief' }
  const headers = { 'Idempotency-Key': 'of-brief' }
  const first = await ask('POST /v1/accounts', body, key, headers)
  assert.equal(first.body.user_id, id)
  for (const { account_id } of (await people('GET /Brief')).body.accounts)
    await ask(`POST /v1/accounts/${account_id}/actions/close`)
  assert.equal((await people('DELETE /Brief')).status, 204)
  for (const again of [
    await ask('POST /v1/accounts', body, key, headers),
    await ask('POST /v1/accounts', body),
  ])
    assert.deepEqual([again.status, again.body.id], [200, first.body.id])
})

test('an account that is nobody’s says so by saying nothing', async () => {
  assert.equal((await ask('POST /v1/accounts', {})).body.user_id, undefined)
})

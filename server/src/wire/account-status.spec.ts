import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { auditFaults } from '@quipu/core'
import { openPartnerStage } from '../http/broker/testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { send, server } = stage
const contact = (tag: string) => ({ contact: { email_address: `ana${tag}@example.org` } })
const buy = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const transfer = { transfer_type: 'ach', direction: 'INCOMING', amount: '100' }

for (const [tag, status] of [
  ['+submitted', 'SUBMITTED'],
  ['+action_required', 'ACTION_REQUIRED'],
  ['+APPROVED', 'APPROVED'],
  ['+rejected', 'REJECTED'],
] as const)
  test(`an account of ana${tag}@… is ${status} and cannot trade or transfer until its contact changes`, async () => {
    const opened = await send('POST /v1/accounts', { cash: '1000', ...contact(tag) })
    assert.deepEqual([opened.status, opened.body.status], [200, status])
    const { id } = opened.body
    const at = `/v1/trading/accounts/${id}`
    const account = (await send(`GET ${at}/account`)).body
    assert.deepEqual(
      [account.status, account.trading_blocked, account.transfers_blocked, account.account_blocked],
      [status, true, true, false],
    )
    const listed = await send(`GET /v1/accounts?status=${status}`)
    assert.ok(listed.body.some((account: { id: string }) => account.id === id))
    const { seq } = server.world.view
    assert.equal((await send(`POST ${at}/orders`, buy)).status, 403)
    assert.equal((await send(`POST /v1/accounts/${id}/transfers`, transfer)).status, 403)
    assert.equal(server.world.view.seq, seq)
    const patched = await send(`PATCH /v1/accounts/${id}`, { identity: { given_name: 'Ana' } })
    assert.equal(patched.body.status, status, 'another field does not change the status')
    const active = await send(`PATCH /v1/accounts/${id}`, contact(''))
    assert.deepEqual([active.body.status, active.body.identity.given_name], ['ACTIVE', 'Ana'])
    assert.equal((await send(`POST ${at}/orders`, buy)).status, 200)
    assert.equal((await send(`POST /v1/accounts/${id}/transfers`, transfer)).status, 200)
    assert.equal((await send(`PATCH /v1/accounts/${id}`, contact('+rejected'))).body.status, 'REJECTED')
    assert.equal((await send(`PATCH /v1/accounts/${id}`, { contact: null })).body.status, 'ACTIVE')
    assert.deepEqual(auditFaults(server.world.view), [])
  })

test('any other contact is ACTIVE; a rejected account can be closed', async () => {
  for (const body of [
    {},
    contact(''),
    contact('+news'),
    { contact: {} },
    { contact: 'ana+rejected@example.org' },
  ])
    assert.equal((await send('POST /v1/accounts', body)).body.status, 'ACTIVE', JSON.stringify(body))
  const { body } = await send('POST /v1/accounts', contact('+rejected'))
  assert.equal((await send(`POST /v1/accounts/${body.id}/actions/close`)).status, 204)
  assert.equal((await send(`GET /v1/accounts/${body.id}`)).body.status, 'ACCOUNT_CLOSED')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import { Traffic } from '../../cli/src/run/gateway/traffic.ts'
import { Measurement } from '../../cli/src/run/report/measure.ts'
import { summaryLines } from '../../cli/src/run/report/summary.ts'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

const endpoint = { url: broker.url }
const operator = createClient({
  url: broker.url,
  keyId: broker.brokerKey,
  secretKey: broker.brokerSecret,
})

/** An account with 10 AAPL, in a world whose clock somebody else moves. */
async function openAccount(settings: object = {}) {
  const world = await newWorld(broker, { start: '2026-03-02T15:00:00Z', ...settings })
  const order = { symbol: 'AAPL', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(world, 'POST', '/v2/orders', order)).status, 200)
  await world.advance('1s')
  const asPartner = async (path: string, body: object) => {
    const response = await call(world.partner, 'POST', path, body)
    assert.equal(response.status, 200, JSON.stringify(response.body))
    return response.body
  }
  const other = await asPartner('/v1/accounts', {})
  const journal = (body: object) =>
    asPartner('/v1/journals', { from_account: world.accountId, to_account: other.id, ...body })
  const { keyId, secretKey } = world
  return { ...world, account: { keyId, secretKey }, journal, asPartner }
}

test('shares and cash that leave or come during a run are neither loss nor gain', async () => {
  const { world, accountId, account, journal } = await openAccount()
  const measurement = await Measurement.start({ operator, world, accountId, endpoint, account })
  await journal({ entry_type: 'JNLS', symbol: 'AAPL', qty: '10' })
  await journal({ entry_type: 'JNLC', amount: '5000' })
  const summary = await measurement.summary(new Traffic(), 0)
  assert.ok(summary.equity_at_end < summary.equity_at_start - 6000)
  assert.deepEqual([summary.profit_loss, summary.max_drawdown], [0, 0])
  assert.match(summaryLines(summary).join('\n'), /P\/L {7}\+0\.00 \(\+0\.00%\);.* largest fall 0\.00%/)
})

test('a gain beside a transfer stays, also in the curve of a long run', async () => {
  const { world, accountId, account, journal, advance } = await openAccount()
  const measurement = await Measurement.start({ operator, world, accountId, endpoint, account })
  await advance('30m')
  await journal({ entry_type: 'JNLC', amount: '50000' })
  await advance('30m')
  const summary = await measurement.summary(new Traffic(), 0)
  assert.equal(
    summary.profit_loss,
    Number((summary.equity_at_end - summary.equity_at_start + 50_000).toFixed(2)),
  )
  assert.notEqual(summary.profit_loss, 0)
  assert.ok(summary.equity.length > 20 && summary.max_drawdown < 0.01, `fall of ${summary.max_drawdown}`)
})

test('a mint, a redeem and a deposit during a run are neither loss nor gain', async () => {
  const [from, to] = ['2026-03-02T15:00:00Z', '2026-03-02T20:00:00Z']
  const prices = { AAPL: [from, to].map((at) => ({ at, price: 200 })) }
  const opened = await openAccount({ prices })
  const { world, accountId, account, advance, asPartner } = opened
  const measurement = await Measurement.start({ operator, world, accountId, endpoint, account })
  const token = { underlying_symbol: 'AAPL', issuer: 'xstocks', network: 'base' }
  const wallet_address = '0x52908400098527886e0f7030069857d2e4169ee7'
  const minted = await call(opened, 'POST', '/v2/tokenization/mint', { ...token, qty: '8', wallet_address })
  assert.equal(minted.status, 200, JSON.stringify(minted.body))
  await advance('1m')
  const redeem = { ...token, account_id: accountId, qty: '3' }
  const redeemed = await callAsOperator(
    broker,
    'POST',
    `/sim/v1/worlds/${world}/tokenization/redemptions`,
    redeem,
  )
  assert.equal(redeemed.status, 201, JSON.stringify(redeemed.body))
  await advance('1m')
  const requests = (await call(opened, 'GET', '/v2/tokenization/requests')).body
  assert.deepEqual(
    requests.map(({ type, status }: Body) => `${type} ${status}`),
    ['redeem completed', 'mint completed'],
  )
  await asPartner(`/v1/accounts/${accountId}/transfers`, { direction: 'INCOMING', amount: '5000' })
  await advance('1m')
  assert.equal((await call(opened, 'GET', '/v2/positions/AAPL')).body.qty, '5')

  const summary = await measurement.summary(new Traffic(), 0)
  // Five shares of 200 dollars left, and 5,000 dollars came.
  assert.equal(Number((summary.equity_at_end - summary.equity_at_start).toFixed(2)), 4000)
  assert.deepEqual([summary.profit_loss, summary.max_drawdown], [0, 0])
  assert.match(summaryLines(summary).join('\n'), /P\/L {7}\+0\.00 \(\+0\.00%\);.* largest fall 0\.00%/)
  const path = '/v2/account/portfolio/history?period=1D&timeframe=1Min'
  const { profit_loss } = (await call(opened, 'GET', path)).body
  // Only the spread of the first purchase.
  assert.ok(Math.abs(profit_loss.at(-1)) < 1, `${profit_loss.at(-1)}`)
})

test('the gain of an account: an account that does not exist, and a key without the right', async () => {
  const { world, accountId } = await openAccount()
  const path = (id: string): string => `/sim/v1/worlds/${world}/accounts/${id}/gain`
  const nobody = '00000000-0000-4000-8000-000000000000'
  assert.equal((await callAsOperator(broker, 'GET', path(nobody))).status, 404)
  const { status, body } = await callAsOperator(broker, 'GET', path(accountId))
  assert.equal(status, 200)
  assert.equal(Number(body.gain).toFixed(2), (Number(body.equity) - Number(body.transferred)).toFixed(2))
  assert.equal((await call(broker, 'GET', path(accountId))).status, 403)
})

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Instant } from '@quipu/core'
import { readingHandlers } from '../reading/index.ts'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage({ handlers: readingHandlers })
after(() => stage.server.close())
const { server, key, otherPartner, ask, opened, seen } = stage

const holdings = { cash: '100000', positions: [{ symbol: 'KO', qty: '4', cost_basis: '200' }] }
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', time_in_force: 'day', limit_price: '1' }

/** A blocked account with an order that was open before, and another to move things to. */
async function blocked(blocks: readonly string[], reason?: string) {
  const [id, other] = [await opened(holdings), await opened(holdings)]
  const own = (await seen(id)).key
  const open = await ask('POST /v2/orders', order, own)
  assert.equal(open.status, 200)
  // The market has it after a second.
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
  const answer = await ask(`POST /v1/accounts/${id}/actions/block`, { blocks, reason })
  assert.equal(answer.status, 200)
  return { id, other, own, open: open.body.id as string, account: answer.body }
}

type Blocked = Awaited<ReturnType<typeof blocked>>

/** Everything that a block may forbid, as one would ask for it. */
const acts: Readonly<Record<string, (stage: Blocked) => ReturnType<typeof ask>>> = {
  order: ({ own }) => ask('POST /v2/orders', order, own),
  replacement: ({ own, open }) => ask(`PATCH /v2/orders/${open}`, { limit_price: '2' }, own),
  closing: ({ own }) => ask('DELETE /v2/positions/KO', undefined, own),
  deposit: ({ id }) => ask(`POST /v1/accounts/${id}/transfers`, { direction: 'INCOMING', amount: '1' }),
  withdrawal: ({ id }) => ask(`POST /v1/accounts/${id}/transfers`, { direction: 'OUTGOING', amount: '1' }),
  'journal from it': ({ id, other }) => journal(id, other),
  'journal to it': ({ id, other }) => journal(other, id),
  'share journal to it': ({ id, other }) =>
    ask('POST /v1/journals', {
      entry_type: 'JNLS',
      from_account: other,
      to_account: id,
      symbol: 'KO',
      qty: '1',
    }),
  reset: ({ id }) => ask(`POST /v1/accounts/${id}/actions/reset`, { cash: '1' }),
  close: ({ id }) => ask(`POST /v1/accounts/${id}/actions/close?empty=true`),
}
const journal = (from: string, to: string) =>
  ask('POST /v1/journals', { entry_type: 'JNLC', from_account: from, to_account: to, amount: '1' })
const TRADING = ['order', 'replacement', 'closing']
const trade = {
  status: 403,
  code: 40310000,
  message: 'account is not authorized to trade',
  reason: 'tradingBlocked',
}
const transfer = {
  status: 403,
  code: 40310000,
  message: 'account is not authorized to transfer',
  reason: 'transfersBlocked',
}

for (const [blocks, tradeIs, transferIs] of [
  [['trading'], trade, undefined],
  [['transfers'], undefined, transfer],
  [['account'], trade, transfer],
  [['trading', 'transfers'], trade, transfer],
] as const)
  for (const [what, act] of Object.entries(acts))
    test(`${blocks.join(' and ')} blocked: ${what}`, async () => {
      const { status, body } = await act(await blocked(blocks))
      const expected = TRADING.includes(what) ? tradeIs : transferIs
      if (!expected) return assert.ok(status < 300, JSON.stringify(body))
      assert.deepEqual({ status, code: body.code, message: body.message, reason: body.reason }, expected)
    })

for (const kind of ['trading', 'transfers', 'account'] as const)
  test(`${kind} blocked: it can be read, and what is open can be canceled`, async () => {
    const { own, open } = await blocked([kind])
    const { body } = await ask('GET /v2/account', undefined, own)
    assert.deepEqual(
      [body.status, body.trading_blocked, body.transfers_blocked, body.account_blocked],
      ['ACTIVE', kind === 'trading', kind === 'transfers', kind === 'account'],
    )
    assert.equal((await ask(`DELETE /v2/orders/${open}`, undefined, own)).status, 204)
  })

test('who blocked it why is told to its partner, stands in the journal and is lifted again', async () => {
  const { id, own, account } = await blocked(['trading', 'trading', 'transfers'], 'under review')
  const told = (body: { blocks?: { block: string; reason: string | null }[] }) =>
    body.blocks?.map(({ block, reason }) => `${block}: ${reason}`)
  assert.deepEqual(told(account), ['trading: under review', 'transfers: under review'])
  assert.deepEqual(told((await ask(`GET /v1/accounts/${id}`)).body), told(account))
  const lift = (body: object) => ask(`POST /v1/accounts/${id}/actions/unblock`, body)
  assert.deepEqual(told((await lift({ blocks: ['transfers'], reason: 'seen' })).body), [
    'trading: under review',
  ])
  const again = await ask(`POST /v1/accounts/${id}/actions/block`, { blocks: ['trading'], reason: 'worse' })
  assert.deepEqual(told(again.body), ['trading: worse'])
  assert.equal(again.body.blocks[0].since, account.blocks[0].since, 'since when does not change')
  const before = again.headers.get('x-quipu-seq')
  const same = await ask(`POST /v1/accounts/${id}/actions/block`, { blocks: ['trading'], reason: 'worse' })
  assert.equal(same.headers.get('x-quipu-seq'), before, 'what is so already is no event')
  assert.equal(told((await lift({})).body), undefined)
  assert.equal((await ask('POST /v2/orders', order, own)).status, 200)
  const events = await ask(`GET /sim/v1/worlds/lab/events?account_id=${id}`, undefined, server.operatorKey)
  const kept = events.body.events
    .filter(({ kind }: { kind: string }) => /locked$/.test(kind))
    .map(({ kind, event }: { kind: string; event: { blocks: string[]; reason?: string } }) =>
      [kind, event.blocks.join('+'), event.reason ?? '-'].join(' '),
    )
  assert.deepEqual(kept, [
    'accountBlocked trading+transfers under review',
    'accountUnblocked transfers seen',
    'accountBlocked trading worse',
    'accountUnblocked trading -',
  ])
})

test('the operator blocks by the name of the world; to another partner the account does not exist', async () => {
  const id = await opened(holdings)
  const route = `POST /sim/v1/worlds/lab/accounts/${id}/block`
  const { status, body } = await ask(route, {}, server.operatorKey)
  assert.deepEqual([status, body.blocks.length, body.blocks[0].block], [200, 1, 'account'])
  assert.equal((await ask(route, {}, key)).status, 403)
  for (const action of ['block', 'unblock'])
    assert.equal((await ask(`POST /v1/accounts/${id}/actions/${action}`, {}, otherPartner)).status, 404)
  assert.equal((await ask(route.replace(/block$/, 'unblock'), {}, server.operatorKey)).body.blocks, undefined)
  await ask(`POST /v1/accounts/${id}/actions/close?empty=true`)
  assert.equal((await ask(`POST /v1/accounts/${id}/actions/block`, {})).body.reason, 'accountIsClosed')
})

test('a refused order is explained with the reason of the block', async () => {
  const { own } = await blocked(['account'], 'under review')
  const { headers } = await ask('POST /v2/orders', order, own)
  const path = `GET /sim/v1/worlds/lab/requests/${headers.get('x-request-id')}/explain`
  const { body } = await ask(path, undefined, server.operatorKey)
  const step = body.steps.find(({ code }: { code: string }) => code === 'tradingBlocked')
  assert.equal(step.numbers.because, 'under review')
})

test('no such block', async () => {
  const id = await opened()
  const { status, body } = await ask(`POST /v1/accounts/${id}/actions/block`, { blocks: ['all'] })
  assert.equal(status, 422)
  assert.match(body.message, /blocks/)
})

test('a partner suspends the orders of its account as the owner would, and lifts it', async () => {
  const id = await opened(holdings)
  const own = (await seen(id)).key
  const route = `/v1/trading/accounts/${id}/account/configurations`
  const suspend = (value: boolean, as = key) => ask(`PATCH ${route}`, { suspend_trade: value }, as)
  assert.equal((await suspend(true)).body.suspend_trade, true)
  assert.deepEqual(
    (await ask(`GET ${route}`)).body,
    (await ask('GET /v2/account/configurations', undefined, own)).body,
  )
  assert.equal((await ask('GET /v2/account', undefined, own)).body.trade_suspended_by_user, true)
  const refused = await ask('POST /v2/orders', order, own)
  assert.deepEqual([refused.status, refused.body.message], [403, 'new orders are rejected by user request'])
  assert.equal((await suspend(false, server.operatorKey)).body.suspend_trade, false)
  assert.equal((await ask('POST /v2/orders', order, own)).status, 200)
  assert.equal((await suspend(true, otherPartner)).status, 404)
  await ask(`POST /v1/accounts/${id}/actions/close?empty=true`)
  assert.equal((await suspend(true)).body.reason, 'accountIsClosed')
})

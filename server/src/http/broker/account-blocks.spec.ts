import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Instant } from '@quipu/core'
import { readingHandlers } from '../reading/index.ts'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage({ handlers: readingHandlers })
after(() => stage.server.close())
const { server, key, otherPartner, send, openAccount, accountState } = stage

const holdings = { cash: '100000', positions: [{ symbol: 'KO', qty: '4', cost_basis: '200' }] }
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', time_in_force: 'day', limit_price: '1' }

/** Opens an account with an open order, then blocks it. The second account receives journals. */
async function openBlocked(blocks: readonly string[], reason?: string) {
  const [id, other] = [await openAccount(holdings), await openAccount(holdings)]
  const accountKey = (await accountState(id)).key
  const open = await send('POST /v2/orders', order, accountKey)
  assert.equal(open.status, 200)
  // The order reaches the market after one second.
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
  const response = await send(`POST /v1/accounts/${id}/actions/block`, { blocks, reason })
  assert.equal(response.status, 200)
  return { id, other, accountKey, open: open.body.id as string, account: response.body }
}

type Blocked = Awaited<ReturnType<typeof openBlocked>>

/** The requests that a block may refuse. */
const requests: Readonly<Record<string, (account: Blocked) => ReturnType<typeof send>>> = {
  order: ({ accountKey }) => send('POST /v2/orders', order, accountKey),
  replacement: ({ accountKey, open }) => send(`PATCH /v2/orders/${open}`, { limit_price: '2' }, accountKey),
  closing: ({ accountKey }) => send('DELETE /v2/positions/KO', undefined, accountKey),
  deposit: ({ id }) => send(`POST /v1/accounts/${id}/transfers`, { direction: 'INCOMING', amount: '1' }),
  withdrawal: ({ id }) => send(`POST /v1/accounts/${id}/transfers`, { direction: 'OUTGOING', amount: '1' }),
  'journal from the account': ({ id, other }) => journal(id, other),
  'journal to the account': ({ id, other }) => journal(other, id),
  'share journal to the account': ({ id, other }) =>
    send('POST /v1/journals', {
      entry_type: 'JNLS',
      from_account: other,
      to_account: id,
      symbol: 'KO',
      qty: '1',
    }),
  reset: ({ id }) => send(`POST /v1/accounts/${id}/actions/reset`, { cash: '1' }),
  close: ({ id }) => send(`POST /v1/accounts/${id}/actions/close?empty=true`),
}
const journal = (from: string, to: string) =>
  send('POST /v1/journals', { entry_type: 'JNLC', from_account: from, to_account: to, amount: '1' })
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

for (const [blocks, tradingRefusal, transferRefusal] of [
  [['trading'], trade, undefined],
  [['transfers'], undefined, transfer],
  [['account'], trade, transfer],
  [['trading', 'transfers'], trade, transfer],
] as const)
  for (const [name, request] of Object.entries(requests))
    test(`${blocks.join(' and ')} blocked: ${name}`, async () => {
      const { status, body } = await request(await openBlocked(blocks))
      const expected = TRADING.includes(name) ? tradingRefusal : transferRefusal
      if (!expected) return assert.ok(status < 300, JSON.stringify(body))
      assert.deepEqual({ status, code: body.code, message: body.message, reason: body.reason }, expected)
    })

for (const kind of ['trading', 'transfers', 'account'] as const)
  test(`${kind} blocked: the account can be read, and an open order can be canceled`, async () => {
    const { accountKey, open } = await openBlocked([kind])
    const { body } = await send('GET /v2/account', undefined, accountKey)
    assert.deepEqual(
      [body.status, body.trading_blocked, body.transfers_blocked, body.account_blocked],
      ['ACTIVE', kind === 'trading', kind === 'transfers', kind === 'account'],
    )
    assert.equal((await send(`DELETE /v2/orders/${open}`, undefined, accountKey)).status, 204)
  })

test('a block and its reason are in the account record and in the journal until it is removed', async () => {
  const { id, accountKey, account } = await openBlocked(['trading', 'trading', 'transfers'], 'under review')
  const blocksIn = (body: { blocks?: { block: string; reason: string | null }[] }) =>
    body.blocks?.map(({ block, reason }) => `${block}: ${reason}`)
  assert.deepEqual(blocksIn(account), ['trading: under review', 'transfers: under review'])
  assert.deepEqual(blocksIn((await send(`GET /v1/accounts/${id}`)).body), blocksIn(account))
  const unblock = (body: object) => send(`POST /v1/accounts/${id}/actions/unblock`, body)
  assert.deepEqual(blocksIn((await unblock({ blocks: ['transfers'], reason: 'reviewed' })).body), [
    'trading: under review',
  ])
  const again = await send(`POST /v1/accounts/${id}/actions/block`, { blocks: ['trading'], reason: 'worse' })
  assert.deepEqual(blocksIn(again.body), ['trading: worse'])
  assert.equal(again.body.blocks[0].since, account.blocks[0].since, 'the start time does not change')
  const before = again.headers.get('x-quipu-seq')
  const same = await send(`POST /v1/accounts/${id}/actions/block`, { blocks: ['trading'], reason: 'worse' })
  assert.equal(same.headers.get('x-quipu-seq'), before, 'an unchanged block records no event')
  assert.equal(blocksIn((await unblock({})).body), undefined)
  assert.equal((await send('POST /v2/orders', order, accountKey)).status, 200)
  const events = await send(`GET /sim/v1/worlds/lab/events?account_id=${id}`, undefined, server.operatorKey)
  const recorded = events.body.events
    .filter(({ kind }: { kind: string }) => /locked$/.test(kind))
    .map(({ kind, event }: { kind: string; event: { blocks: string[]; reason?: string } }) =>
      [kind, event.blocks.join('+'), event.reason ?? '-'].join(' '),
    )
  assert.deepEqual(recorded, [
    'accountBlocked trading+transfers under review',
    'accountUnblocked transfers reviewed',
    'accountBlocked trading worse',
    'accountUnblocked trading -',
  ])
})

test('an operator blocks by world name; another partner gets 404', async () => {
  const id = await openAccount(holdings)
  const route = `POST /sim/v1/worlds/lab/accounts/${id}/block`
  const { status, body } = await send(route, {}, server.operatorKey)
  assert.deepEqual([status, body.blocks.length, body.blocks[0].block], [200, 1, 'account'])
  assert.equal((await send(route, {}, key)).status, 403)
  for (const action of ['block', 'unblock'])
    assert.equal((await send(`POST /v1/accounts/${id}/actions/${action}`, {}, otherPartner)).status, 404)
  assert.equal(
    (await send(route.replace(/block$/, 'unblock'), {}, server.operatorKey)).body.blocks,
    undefined,
  )
  await send(`POST /v1/accounts/${id}/actions/close?empty=true`)
  assert.equal((await send(`POST /v1/accounts/${id}/actions/block`, {})).body.reason, 'accountIsClosed')
})

test('a refused order is explained with the reason of the block', async () => {
  const { accountKey } = await openBlocked(['account'], 'under review')
  const { headers } = await send('POST /v2/orders', order, accountKey)
  const path = `GET /sim/v1/worlds/lab/requests/${headers.get('x-request-id')}/explain`
  const { body } = await send(path, undefined, server.operatorKey)
  const step = body.steps.find(({ code }: { code: string }) => code === 'tradingBlocked')
  assert.equal(step.numbers.because, 'under review')
})

test('an unknown block is refused', async () => {
  const id = await openAccount()
  const { status, body } = await send(`POST /v1/accounts/${id}/actions/block`, { blocks: ['all'] })
  assert.equal(status, 422)
  assert.match(body.message, /blocks/)
})

test('a partner suspends and resumes trading of its account', async () => {
  const id = await openAccount(holdings)
  const accountKey = (await accountState(id)).key
  const route = `/v1/trading/accounts/${id}/account/configurations`
  const suspend = (value: boolean, as = key) => send(`PATCH ${route}`, { suspend_trade: value }, as)
  assert.equal((await suspend(true)).body.suspend_trade, true)
  assert.deepEqual(
    (await send(`GET ${route}`)).body,
    (await send('GET /v2/account/configurations', undefined, accountKey)).body,
  )
  assert.equal((await send('GET /v2/account', undefined, accountKey)).body.trade_suspended_by_user, true)
  const refused = await send('POST /v2/orders', order, accountKey)
  assert.deepEqual([refused.status, refused.body.message], [403, 'new orders are rejected by user request'])
  assert.equal((await suspend(false, server.operatorKey)).body.suspend_trade, false)
  assert.equal((await send('POST /v2/orders', order, accountKey)).status, 200)
  assert.equal((await suspend(true, otherPartner)).status, 404)
  await send(`POST /v1/accounts/${id}/actions/close?empty=true`)
  assert.equal((await suspend(true)).body.reason, 'accountIsClosed')
})

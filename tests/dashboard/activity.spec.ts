import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, createClient, type LoggedRequest } from '@quipu/sdk'
import { rowsOf } from '../../web/src/screens/activity/request-rows.ts'
import { commonDemo } from './demo.ts'
import { assertAccessible, assertFits, moveTo, openStage, visit } from './stage.ts'

const { account, broker, operator } = await openStage()
const world = await commonDemo()
const { requests } = await operator.listRequests({
  params: { world },
  query: { method: 'POST', path: '/v2/orders' } as never,
})
const placed = requests.find(({ body }) => body?.includes('"dip-buyer-1"'))!

/** The id of a request that the broker refuses. */
async function refusedId(): Promise<string> {
  const body = { symbol: 'AAPL', qty: '1000000', side: 'buy', type: 'market', time_in_force: 'day' }
  const error = await account.client.placeOrder({ body: body as never }).catch((refusal) => refusal)
  assert.ok(error instanceof ApiError)
  return error.requestId!
}

test('a request is followed to its events, postings and frames', async (t) => {
  const page = await visit(t, `/activity?world=${world}`)
  await page.getByLabel('Method').selectOption('POST')
  await page.waitForURL(/method=POST/)
  await page.getByTitle(`request ${placed.request_id}`).click()
  const story = page.getByRole('region', { name: 'Buy 45 AAPL' })
  for (const text of [
    /^Event \d+, order accepted$/,
    'Response 200',
    /^Event \d+, filled 45 at /,
    /of market, no further request$/,
    'posting balances to 0',
    'frame fill',
  ])
    await story.getByText(text).waitFor()
  assert.equal(await story.getByText('my account, unsettled').count(), 2)
  await story.getByRole('tab', { name: 'curl' }).click()
  await story.getByText('"$APCA_API_BASE_URL/v2/orders"').waitFor()
  await story.getByRole('tab', { name: 'TypeScript' }).click()
  await story.getByText('console.log(await client.placeOrder({').waitFor()
})

test('a refused request is explained, and the keyboard moves through the list', async (t) => {
  const id = await refusedId()
  const page = await visit(t, `/activity/${id}`)
  await page.getByText('Refused with 403').waitFor()
  await page
    .getByText(/buying power/i)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/activity$/)
  await page.getByRole('region', { name: 'Requests' }).locator('tbody tr').first().waitFor()
  await page.keyboard.press('j')
  await page.waitForURL(/\/activity\/[0-9a-f]{32}$/)
})

test('new requests appear by themselves, and wait while the list is paused', async (t) => {
  const page = await visit(t, `/activity?world=${world}&path=/sim/v1/worlds/${world}/balances`)
  await page.getByText('No request matches').waitFor()
  const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr')
  await operator.listBalances({ params: { world } })
  await rows.first().waitFor()
  await page.keyboard.press('p')
  await operator.listBalances({ params: { world } })
  await page.getByRole('button', { name: 'Show 1 new' }).click()
  await rows.nth(1).waitFor()
})

test('errors in a row that say the same are one row, which opens', async (t) => {
  const created = await operator.createWorld({ body: { accounts: 1 } })
  const { key_id: keyId, secret_key: secretKey } = created.accounts[0]!
  const bot = createClient({ url: broker.url, keyId, secretKey })
  const buy = (symbol: string, qty: string) =>
    bot.placeOrder({ body: { symbol, qty, side: 'buy', type: 'market', time_in_force: 'day' } })
  for (let count = 0; count < 40; count++) await buy('NVDA', '1000000').catch(() => undefined)
  await buy('NVDA', '1')
  await buy('AAPL', '1000000').catch(() => undefined)
  const page = await visit(t, `/activity?world=${created.world}`)
  const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr')
  const refused = 'refused: not enough buying power'
  const group = page.getByRole('button', { name: `40 × Buy 1,000,000 NVDA ${refused}` })
  await group.waitFor()
  await page.getByRole('link', { name: `Buy 1,000,000 AAPL ${refused}` }).waitFor()
  await page.getByRole('link', { name: 'Buy 1 NVDA' }).waitFor()
  const closed = await rows.count()
  await group.click()
  await page
    .getByRole('link', { name: `Buy 1,000,000 NVDA ${refused}` })
    .first()
    .waitFor()
  assert.ok((await rows.count()) > closed)
  await page.getByText('41 errors · median').waitFor()
  await page.getByRole('img', { name: /^Milliseconds to respond\. .* errors/ }).waitFor()
  const caller = page.getByRole('listitem').filter({ hasText: `${keyId.slice(0, 4)}…${keyId.slice(-4)}` })
  await caller.getByText('41 errors').waitFor()
})

test('errors of a program that polls between them are groups, which a success or a minute ends', () => {
  const of = (operation: string, second: number, status: number, symbol = 'NVDA') =>
    ({
      ...{
        number: second,
        request_id: `${second}`,
        at: new Date(second * 1000).toISOString(),
        operation,
        status,
      },
      ...{ method: 'POST', path: '/v2/orders', key_id: 'k', body: JSON.stringify({ symbol }) },
    }) as LoggedRequest
  const counts = (...oldestFirst: readonly LoggedRequest[]) =>
    rowsOf(oldestFirst.toReversed(), new Set()).map(({ requests }) => requests.length)
  const [refused, other, poll] = [
    (second: number) => of('placeOrder', second, 403),
    (second: number) => of('placeOrder', second, 422),
    (second: number) => of('getAccount', second, 200),
  ]
  assert.deepEqual(counts(refused(1), poll(2), refused(3), poll(4), refused(5)), [3, 1, 1])
  assert.deepEqual(counts(refused(1), other(2), refused(3), other(4)), [2, 2])
  assert.deepEqual(counts(refused(1), of('placeOrder', 2, 200), refused(3)), [1, 1, 1], 'it succeeded')
  assert.deepEqual(
    counts(refused(1), of('placeOrder', 2, 200, 'KO'), refused(3)),
    [2, 1],
    'of another symbol',
  )
  assert.deepEqual(counts(refused(1), poll(2), refused(90)), [1, 1, 1], 'more than a minute')
  assert.deepEqual(counts(refused(1), refused(90)), [2], 'nothing between them')
})

test('a program that errs: sentences, groups and callers, and no replay of a body that the log does not have', async (t) => {
  const { world: erring, accounts } = await operator.createWorld({ body: { accounts: 1 } })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const send = (body: string, secret = secretKey) =>
    fetch(`${broker.url}/v2/orders`, {
      method: 'POST',
      headers: { 'apca-api-key-id': keyId, 'apca-api-secret-key': secret },
      body,
    })
  const order = { symbol: 'NVDA', side: 'buy', type: 'market', time_in_force: 'day' }
  const statuses: number[] = []
  for (const body of ['{"symbol":', JSON.stringify(order), JSON.stringify({ ...order, qty: '-1' })])
    statuses.push((await send(body)).status)
  for (let count = 0; count < 3; count++) statuses.push((await send('{}', 'wrong')).status)
  assert.deepEqual(statuses, [400, 422, 422, 401, 401, 401])
  const page = await visit(t, `/activity?world=${erring}`)
  await page.getByRole('button', { name: '2 × like “Buy −1 NVDA refused: invalid value”' }).waitFor()
  // The world of a wrong key is not known, so its requests are with those of `main`.
  const caller = page.getByRole('listitem').filter({ hasText: `${keyId.slice(0, 4)}…${keyId.slice(-4)}` })
  await caller.getByText('3 errors').waitFor()
  await page.getByRole('link', { name: 'Place an order refused: not JSON' }).click()
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByText('The log does not have the body: it was not JSON, or it was too large.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Replay in a fork' }).isDisabled())
  await moveTo(page, '/activity')
  await page.getByRole('button', { name: /^3 × .* refused: wrong key$/ }).waitFor()
})

test('requests of the dashboard are in the log with their source, and its reads are hidden at first', async (t) => {
  const page = await visit(t, '/activity')
  await page.getByRole('region', { name: 'Requests' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /^Read watchlist|^Read portfolio/ }).count(), 0)
  await page.getByLabel('Source').selectOption('dashboard')
  await page.waitForURL(/source=dashboard/)
  await page.getByRole('button', { name: 'Hide dashboard reads and clock' }).click()
  await page
    .getByRole('link', { name: /^Read / })
    .first()
    .waitFor()
  const { requests: found } = await operator.listRequests({
    params: { world: 'main' },
    query: { source: 'dashboard', operation: 'listWorlds' } as never,
  })
  assert.ok(found.length > 0 && found.every(({ source }) => source === 'dashboard'))
})

test('an operator sees the open streams and closes one, after a question', async (t) => {
  const stream = account.streams.tradeUpdates()
  t.after(async () => stream.close())
  await stream.subscribe()
  const page = await visit(t, '/activity?tab=streams')
  const key = `${broker.keyId.slice(0, 4)}…${broker.keyId.slice(-4)}`
  const row = page.getByRole('listitem').filter({ hasText: key })
  await row.getByText('trade_updates').waitFor()
  const broken = new Promise<void>((resolve) => {
    stream.onState((state) => state !== 'open' && resolve())
  })
  await row.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Close the stream' }).click()
  await broken
})

test('without operator rights, the screen has the requests of the own account only', async (t) => {
  const own = await refusedId()
  await operator.listBalances({ params: { world: 'main' } })
  const page = await visit(t, '/activity?show=all', { isOperator: false })
  await page.getByTitle(own).waitFor()
  assert.equal(await page.getByText('Read balances').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Streams' }).count(), 0)
  await page.getByRole('button', { name: 'Events' }).click()
  await page.getByRole('region', { name: 'Events' }).locator('tbody tr').first().waitFor()
})

test('a phone shows the log, then the request', async (t) => {
  const page = await visit(t, `/activity?world=${world}&method=POST`, {
    viewport: { width: 390, height: 844 },
  })
  await page.getByTitle(`request ${placed.request_id}`).click()
  await page.getByText('posting balances to 0').waitFor()
  await page.getByRole('link', { name: 'All requests' }).waitFor()
  await assertFits(page)
})

test('a request is replayed in a fork from before it, and its world stays as it is', async (t) => {
  const journal = () => operator.getJournalHead({ params: { world } })
  const before = await journal()
  const page = await visit(t, `/activity/${placed.request_id}?world=${world}`)
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay in a fork' }).click()
  const own = page.getByRole('region', { name: 'In this world' })
  const fork = page.getByRole('region', { name: /^In the fork / })
  await fork.getByText('order accepted').waitFor()
  await own.getByText('order accepted').waitFor()
  // A fork has new keys, so its events have other numbers.
  const eventOf = async (part: typeof own) =>
    (await part.getByRole('listitem').first().textContent())?.replace(/^Event \d+/, '')
  assert.equal(await eventOf(fork), await eventOf(own))
  await fork.getByText('"dip-buyer-1"').waitFor()
  assert.deepEqual(await journal(), before)
  await assertAccessible(page)
})

test('a refused request is refused in the fork too', async (t) => {
  const created = await operator.createWorld({ body: { accounts: 1 } })
  const { key_id: keyId, secret_key: secretKey } = created.accounts[0]!
  const bot = createClient({ url: broker.url, keyId, secretKey })
  const body = { symbol: 'AAPL', qty: '1000000', side: 'buy', type: 'market', time_in_force: 'day' } as const
  const { requestId } = (await bot.placeOrder({ body }).catch((error) => error)) as ApiError
  const page = await visit(t, `/activity/${requestId}?world=${created.world}`)
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay in a fork' }).click()
  for (const name of ['In this world', /^In the fork /])
    await page.getByRole('region', { name }).getByText('403 not enough buying power').waitFor()
})

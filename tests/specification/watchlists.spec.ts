import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { assertRefused, broker, type Caller, get, newWorld, UNKNOWN_ID, UUID } from './stage.ts'

const LISTS = '/v2/watchlists'
const BY_NAME = '/v2/watchlists:by_name'

const post = (caller: Caller, path: string, body: object) => call(caller, 'POST', path, body)
const put = (caller: Caller, path: string, body: object) => call(caller, 'PUT', path, body)
const drop = (caller: Caller, path: string) => call(caller, 'DELETE', path)

const createList = async (caller: Caller, name: string, ...symbols: string[]): Promise<Body> => {
  const { status, body } = await post(caller, LISTS, { name, symbols })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const symbolsOf = ({ assets }: Body): string => assets.map(({ symbol }: Body) => symbol).join(' ')
const namesOf = async (caller: Caller): Promise<string[]> =>
  (await get(caller, LISTS)).body.map(({ name }: Body) => name)

test('a watchlist is created, read and listed, with its assets in order', async () => {
  const world = await newWorld()
  const list = await createList(world, 'Tech', 'MSFT', 'AAPL', 'BTC/USD')
  assert.match(list.id, UUID)
  assert.deepEqual(
    [list.account_id, list.name, symbolsOf(list), list.created_at],
    [world.accountId, 'Tech', 'MSFT AAPL BTC/USD', list.updated_at],
  )
  assert.deepEqual(list.assets[1], (await get(world, '/v2/assets/AAPL')).body)
  assert.deepEqual((await get(world, `${LISTS}/${list.id}`)).body, list)
  assert.deepEqual((await get(world, `${BY_NAME}?name=Tech`)).body, list)
  const { assets: _, ...bare } = list
  assert.deepEqual((await get(world, LISTS)).body, [bare])
})

test('a watchlist may be empty, and assets may be referenced by id, by alias and twice', async () => {
  const world = await newWorld()
  const { body: apple } = await get(world, '/v2/assets/AAPL')
  assert.equal(symbolsOf((await post(world, LISTS, { name: 'Nothing' })).body), '')
  assert.equal(symbolsOf((await post(world, LISTS, { name: 'None', symbols: null })).body), '')
  assert.equal(symbolsOf(await createList(world, 'All', apple.id, 'BTCUSD', 'AAPL', 'KO')), 'AAPL BTC/USD KO')
})

for (const lookup of ['by id', 'by name'] as const) {
  const pathOf = ({ id, name }: Body): string =>
    lookup === 'by id' ? `${LISTS}/${id}` : `${BY_NAME}?name=${encodeURIComponent(name)}`

  test(`${lookup}: symbols and name are replaced, separately or together`, async () => {
    const world = await newWorld()
    const list = await createList(world, 'My list', 'AAPL', 'KO')
    const renamed = (await put(world, pathOf(list), { name: 'Yours & mine' })).body
    assert.deepEqual([renamed.id, renamed.name, symbolsOf(renamed)], [list.id, 'Yours & mine', 'AAPL KO'])
    assert.equal(renamed.created_at, list.created_at)
    assert(renamed.updated_at > list.updated_at)
    const refilled = (await put(world, pathOf(renamed), { symbols: ['F', 'AAPL'] })).body
    assert.deepEqual([refilled.name, symbolsOf(refilled)], ['Yours & mine', 'F AAPL'])
    const both = (await put(world, pathOf(renamed), { name: 'Both', symbols: [] })).body
    assert.deepEqual([both.id, both.name, symbolsOf(both)], [list.id, 'Both', ''])
  })

  test(`${lookup}: an asset is added at the end, once`, async () => {
    const world = await newWorld()
    const list = await createList(world, 'Growing', 'KO')
    assert.equal(symbolsOf((await post(world, pathOf(list), { symbol: 'F' })).body), 'KO F')
    assertRefused(
      await post(world, pathOf(list), { symbol: 'KO' }),
      422,
      42210000,
      'symbol KO is in the watchlist already',
    )
    assertRefused(
      await post(world, pathOf(list), { symbol: 'NONE' }),
      404,
      40410000,
      'asset not found for NONE',
    )
    assertRefused(await post(world, pathOf(list), {}), 422, 40010001, /^symbol: expected/)
  })

  test(`${lookup}: DELETE returns 204, and the watchlist no longer exists`, async () => {
    const world = await newWorld()
    const list = await createList(world, 'Short-lived', 'KO')
    const deleted = await drop(world, pathOf(list))
    assert.deepEqual([deleted.status, deleted.body], [204, ''])
    for (const again of [await get(world, pathOf(list)), await drop(world, pathOf(list))])
      assertRefused(again, 404, 40410000, /^watchlist not found: /)
    assert.deepEqual(await namesOf(world), [])
  })

  test(`${lookup}: a watchlist of another account is not found`, async () => {
    const world = await newWorld({ accounts: 2 })
    const other = world.created.accounts[1]
    const stranger = { url: broker.url, keyId: other.key_id, secretKey: other.secret_key }
    const list = await createList(world, 'Mine', 'KO')
    for (const response of [
      await get(stranger, pathOf(list)),
      await put(stranger, pathOf(list), { symbols: [] }),
      await post(stranger, pathOf(list), { symbol: 'F' }),
      await drop(stranger, pathOf(list)),
    ])
      assertRefused(response, 404, 40410000, /^watchlist not found: /)
    assert.equal(symbolsOf((await get(world, pathOf(list))).body), 'KO')
    assert.equal((await createList(stranger, 'Mine', 'F')).name, 'Mine')
  })
}

test('an asset is removed, with a plain or an encoded slash', async () => {
  const world = await newWorld()
  const { id } = await createList(world, 'Shrinking', 'KO', 'BTC/USD', 'F', 'ETH/USD', 'AAPL')
  const rest: readonly [string, string][] = [
    ['F', 'KO BTC/USD ETH/USD AAPL'],
    ['BTC/USD', 'KO ETH/USD AAPL'],
    ['ETH%2FUSD', 'KO AAPL'],
  ]
  for (const [symbol, left] of rest) {
    const { status, body } = await drop(world, `${LISTS}/${id}/${symbol}`)
    assert.deepEqual([status, symbolsOf(body)], [200, left])
  }
  assertRefused(await drop(world, `${LISTS}/${id}/F`), 404, 40410000, 'symbol F is not in the watchlist')
  assertRefused(
    await drop(world, `${LISTS}/${id}/NONE`),
    404,
    40410000,
    'symbol NONE is not in the watchlist',
  )
  assertRefused(
    await drop(world, `${LISTS}/${UNKNOWN_ID}/F`),
    404,
    40410000,
    `watchlist not found: ${UNKNOWN_ID}`,
  )
})

const creations: readonly [body: object, status: number, code: number, message: string | RegExp][] = [
  [{}, 422, 40010001, /^name: expected text of 1 to 64 characters, received nothing$/],
  [{ name: '' }, 422, 40010001, /^name: expected text of 1 to 64 characters/],
  [{ name: 'x'.repeat(65) }, 422, 40010001, /^name: expected text of 1 to 64 characters/],
  [{ name: 5 }, 422, 40010001, /^name: expected text/],
  [{ name: 'New', symbols: 'AAPL' }, 422, 40010001, /^symbols: expected a list/],
  [{ name: 'New', symbols: [5] }, 422, 40010001, /^symbols\[0\]: expected text/],
  [{ name: 'New', symbols: ['AAPL', 'NONE'] }, 404, 40410000, 'asset not found for NONE'],
  [{ name: 'Taken' }, 422, 40010001, 'watchlist name must be unique'],
]

test('an invalid watchlist is refused and records no event', async () => {
  const world = await newWorld()
  await createList(world, 'Taken')
  const seq = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}`)).body.seq
  const before = await seq()
  for (const [body, status, code, message] of creations)
    assertRefused(await post(world, LISTS, body), status, code, message)
  assert.equal(await seq(), before)
  assert.deepEqual(await namesOf(world), ['Taken'])
  assert.equal((await createList(world, 'x'.repeat(64))).name.length, 64)
})

test('invalid changes are refused', async () => {
  const world = await newWorld()
  const { id } = await createList(world, 'One', 'KO')
  await createList(world, 'Two')
  const path = `${LISTS}/${id}`
  assertRefused(await put(world, path, {}), 422, 40010001, 'name or symbols is required')
  assertRefused(await put(world, path, { name: 'Two' }), 422, 40010001, 'watchlist name must be unique')
  assertRefused(await put(world, path, { symbols: ['NONE'] }), 404, 40410000, 'asset not found for NONE')
  assertRefused(await put(world, `${LISTS}/${UNKNOWN_ID}`, { name: 'Three' }), 404, 40410000)
  assertRefused(await get(world, `${LISTS}/One`), 422, 40010001, /^id: expected a UUID/)
  assertRefused(await get(world, BY_NAME), 422, 40010001, /^name: expected/)
  assertRefused(await get(world, `${BY_NAME}?name=Three`), 404, 40410000, 'watchlist not found: Three')
  assert.equal((await put(world, path, { name: 'One' })).status, 200)
})

test('the watchlists of a closed account cannot be changed', async () => {
  const world = await newWorld()
  const list = await createList(world, 'Last', 'KO')
  const closed = await post(world.partner, `/v1/accounts/${world.accountId}/actions/close`, {})
  assert(closed.status < 300, JSON.stringify(closed.body))
  const path = `${LISTS}/${list.id}`
  for (const response of [
    await post(world, LISTS, { name: 'More' }),
    await put(world, path, { symbols: [] }),
    await post(world, path, { symbol: 'F' }),
    await drop(world, `${path}/KO`),
    await drop(world, path),
  ])
    assertRefused(response, 409, 40910000, 'account is closed')
  assert.deepEqual((await get(world, path)).body, list)
})

test('a fork has the watchlists of its parent, and later changes are separate', async () => {
  const world = await newWorld()
  const list = await createList(world, 'Shared', 'KO')
  const { body } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  const { key_id: keyId, secret_key: secretKey } = body.accounts[0]
  const fork = { url: broker.url, keyId, secretKey }
  assert.deepEqual((await get(fork, `${LISTS}/${list.id}`)).body, list)
  await post(fork, `${LISTS}/${list.id}`, { symbol: 'F' })
  assert.deepEqual((await get(world, `${LISTS}/${list.id}`)).body, list)
})

test('watchlists survive kill -9, and follow the configured limits', async (t) => {
  const flags = ['--data', newFolder(), '--watchlists-max', '2', '--watchlist-symbols-max', '3']
  const first = await startBroker(flags)
  t.after(first.kill)
  const list = await createList(first, 'Kept', 'KO', 'AAPL', 'F')
  await createList(first, 'Dropped')
  await drop(first, `${BY_NAME}?name=Dropped`)
  await first.kill()
  const second = await startBroker(flags)
  t.after(second.stop)
  assert.deepEqual((await get(second, `${LISTS}/${list.id}`)).body, list)
  assertRefused(
    await post(second, `${LISTS}/${list.id}`, { symbol: 'MSFT' }),
    422,
    42210000,
    'a watchlist may have at most 3 symbols',
  )
  const four = { symbols: ['KO', 'AAPL', 'F', 'MSFT'] }
  assertRefused(await put(second, `${LISTS}/${list.id}`, four), 422, 42210000, /at most 3 symbols$/)
  assertRefused(await post(second, LISTS, { name: 'Four', ...four }), 422, 42210000, /at most 3 symbols$/)
  await createList(second, 'Other')
  assertRefused(
    await post(second, LISTS, { name: 'Third' }),
    403,
    40310000,
    'watchlist limit reached (2); delete a watchlist first',
  )
  const audit = await callAsOperator(second, 'GET', '/sim/v1/worlds/main/audit')
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})

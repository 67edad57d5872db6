import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator, newFolder, startBroker } from '../broker.ts'
import { assertRefused, broker, type Caller, get, NOBODY, UUID, world } from './stage.ts'

const LISTS = '/v2/watchlists'
const BY_NAME = '/v2/watchlists:by_name'

const post = (who: Caller, path: string, body: object) => call(who, 'POST', path, body)
const put = (who: Caller, path: string, body: object) => call(who, 'PUT', path, body)
const drop = (who: Caller, path: string) => call(who, 'DELETE', path)

const made = async (who: Caller, name: string, ...symbols: string[]): Promise<Body> => {
  const { status, body } = await post(who, LISTS, { name, symbols })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const symbolsOf = ({ assets }: Body): string => assets.map(({ symbol }: Body) => symbol).join(' ')
const namesOf = async (who: Caller): Promise<string[]> =>
  (await get(who, LISTS)).body.map(({ name }: Body) => name)

test('a watchlist is made, read and listed, its assets in the order given', async () => {
  const own = await world()
  const list = await made(own, 'Tech', 'MSFT', 'AAPL', 'BTC/USD')
  assert.match(list.id, UUID)
  assert.deepEqual(
    [list.account_id, list.name, symbolsOf(list), list.created_at],
    [own.accountId, 'Tech', 'MSFT AAPL BTC/USD', list.updated_at],
  )
  assert.deepEqual(list.assets[1], (await get(own, '/v2/assets/AAPL')).body)
  assert.deepEqual((await get(own, `${LISTS}/${list.id}`)).body, list)
  assert.deepEqual((await get(own, `${BY_NAME}?name=Tech`)).body, list)
  const { assets: _, ...bare } = list
  assert.deepEqual((await get(own, LISTS)).body, [bare])
})

test('a watchlist may be empty, and assets may be named by id, alias and twice', async () => {
  const own = await world()
  const { body: apple } = await get(own, '/v2/assets/AAPL')
  assert.equal(symbolsOf((await post(own, LISTS, { name: 'Nothing' })).body), '')
  assert.equal(symbolsOf((await post(own, LISTS, { name: 'None', symbols: null })).body), '')
  assert.equal(symbolsOf(await made(own, 'All', apple.id, 'BTCUSD', 'AAPL', 'KO')), 'AAPL BTC/USD KO')
})

for (const way of ['by id', 'by name'] as const) {
  const pathOf = ({ id, name }: Body): string =>
    way === 'by id' ? `${LISTS}/${id}` : `${BY_NAME}?name=${encodeURIComponent(name)}`

  test(`${way}: content and name are replaced, each alone or both`, async () => {
    const own = await world()
    const list = await made(own, 'My list', 'AAPL', 'KO')
    const renamed = (await put(own, pathOf(list), { name: 'Yours & mine' })).body
    assert.deepEqual([renamed.id, renamed.name, symbolsOf(renamed)], [list.id, 'Yours & mine', 'AAPL KO'])
    assert.equal(renamed.created_at, list.created_at)
    assert(renamed.updated_at > list.updated_at)
    const refilled = (await put(own, pathOf(renamed), { symbols: ['F', 'AAPL'] })).body
    assert.deepEqual([refilled.name, symbolsOf(refilled)], ['Yours & mine', 'F AAPL'])
    const both = (await put(own, pathOf(renamed), { name: 'Both', symbols: [] })).body
    assert.deepEqual([both.id, both.name, symbolsOf(both)], [list.id, 'Both', ''])
  })

  test(`${way}: an asset is added at the end, once`, async () => {
    const own = await world()
    const list = await made(own, 'Growing', 'KO')
    assert.equal(symbolsOf((await post(own, pathOf(list), { symbol: 'F' })).body), 'KO F')
    assertRefused(
      await post(own, pathOf(list), { symbol: 'KO' }),
      422,
      42210000,
      'symbol KO is in the watchlist already',
    )
    assertRefused(
      await post(own, pathOf(list), { symbol: 'NONE' }),
      404,
      40410000,
      'asset not found for NONE',
    )
    assertRefused(await post(own, pathOf(list), {}), 422, 40010001, /^symbol: expected/)
  })

  test(`${way}: a deleted watchlist is gone, with an empty 204`, async () => {
    const own = await world()
    const list = await made(own, 'Short-lived', 'KO')
    const gone = await drop(own, pathOf(list))
    assert.deepEqual([gone.status, gone.body], [204, ''])
    for (const again of [await get(own, pathOf(list)), await drop(own, pathOf(list))])
      assertRefused(again, 404, 40410000, /^watchlist not found: /)
    assert.deepEqual(await namesOf(own), [])
  })

  test(`${way}: nobody else's watchlist is found`, async () => {
    const own = await world({ accounts: 2 })
    const other = own.created.accounts[1]
    const stranger = { url: broker.url, keyId: other.key_id, secretKey: other.secret_key }
    const list = await made(own, 'Mine', 'KO')
    for (const answer of [
      await get(stranger, pathOf(list)),
      await put(stranger, pathOf(list), { symbols: [] }),
      await post(stranger, pathOf(list), { symbol: 'F' }),
      await drop(stranger, pathOf(list)),
    ])
      assertRefused(answer, 404, 40410000, /^watchlist not found: /)
    assert.equal(symbolsOf((await get(own, pathOf(list))).body), 'KO')
    assert.equal((await made(stranger, 'Mine', 'F')).name, 'Mine')
  })
}

test('an asset is taken out, with a slash as it is or encoded', async () => {
  const own = await world()
  const { id } = await made(own, 'Shrinking', 'KO', 'BTC/USD', 'F', 'ETH/USD', 'AAPL')
  const rest: readonly [string, string][] = [
    ['F', 'KO BTC/USD ETH/USD AAPL'],
    ['BTC/USD', 'KO ETH/USD AAPL'],
    ['ETH%2FUSD', 'KO AAPL'],
  ]
  for (const [symbol, left] of rest) {
    const { status, body } = await drop(own, `${LISTS}/${id}/${symbol}`)
    assert.deepEqual([status, symbolsOf(body)], [200, left])
  }
  assertRefused(await drop(own, `${LISTS}/${id}/F`), 404, 40410000, 'symbol F is not in the watchlist')
  assertRefused(await drop(own, `${LISTS}/${id}/NONE`), 404, 40410000, 'symbol NONE is not in the watchlist')
  assertRefused(await drop(own, `${LISTS}/${NOBODY}/F`), 404, 40410000, `watchlist not found: ${NOBODY}`)
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

test('what cannot be a watchlist is refused and leaves nothing', async () => {
  const own = await world()
  await made(own, 'Taken')
  const seq = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}`)).body.seq
  const before = await seq()
  for (const [body, status, code, message] of creations)
    assertRefused(await post(own, LISTS, body), status, code, message)
  assert.equal(await seq(), before)
  assert.deepEqual(await namesOf(own), ['Taken'])
  assert.equal((await made(own, 'x'.repeat(64))).name.length, 64)
})

test('what cannot be changed is refused', async () => {
  const own = await world()
  const { id } = await made(own, 'One', 'KO')
  await made(own, 'Two')
  const path = `${LISTS}/${id}`
  assertRefused(await put(own, path, {}), 422, 40010001, 'name or symbols is required')
  assertRefused(await put(own, path, { name: 'Two' }), 422, 40010001, 'watchlist name must be unique')
  assertRefused(await put(own, path, { symbols: ['NONE'] }), 404, 40410000, 'asset not found for NONE')
  assertRefused(await put(own, `${LISTS}/${NOBODY}`, { name: 'Three' }), 404, 40410000)
  assertRefused(await get(own, `${LISTS}/One`), 422, 40010001, /^id: expected a UUID/)
  assertRefused(await get(own, BY_NAME), 422, 40010001, /^name: expected/)
  assertRefused(await get(own, `${BY_NAME}?name=Three`), 404, 40410000, 'watchlist not found: Three')
  assert.equal((await put(own, path, { name: 'One' })).status, 200)
})

test('a closed account keeps its watchlists as they are', async () => {
  const own = await world()
  const list = await made(own, 'Last', 'KO')
  const closed = await post(own.partner, `/v1/accounts/${own.accountId}/actions/close`, {})
  assert(closed.status < 300, JSON.stringify(closed.body))
  const path = `${LISTS}/${list.id}`
  for (const answer of [
    await post(own, LISTS, { name: 'More' }),
    await put(own, path, { symbols: [] }),
    await post(own, path, { symbol: 'F' }),
    await drop(own, `${path}/KO`),
    await drop(own, path),
  ])
    assertRefused(answer, 409, 40910000, 'account is closed')
  assert.deepEqual((await get(own, path)).body, list)
})

test('a fork has the watchlists of its parent, and its own from then on', async () => {
  const own = await world()
  const list = await made(own, 'Shared', 'KO')
  const { body } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${own.world}/fork`, {})
  const { key_id: keyId, secret_key: secretKey } = body.accounts[0]
  const fork = { url: broker.url, keyId, secretKey }
  assert.deepEqual((await get(fork, `${LISTS}/${list.id}`)).body, list)
  await post(fork, `${LISTS}/${list.id}`, { symbol: 'F' })
  assert.deepEqual((await get(own, `${LISTS}/${list.id}`)).body, list)
})

test('watchlists outlive a power cut, and have the limits of the configuration', async (t) => {
  const flags = ['--data', newFolder(), '--watchlists-max', '2', '--watchlist-symbols-max', '3']
  const first = await startBroker(flags)
  t.after(first.kill)
  const list = await made(first, 'Kept', 'KO', 'AAPL', 'F')
  await made(first, 'Dropped')
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
  await made(second, 'Other')
  assertRefused(
    await post(second, LISTS, { name: 'Third' }),
    403,
    40310000,
    'watchlist limit reached (2); delete a watchlist first',
  )
  const audit = await callAsOperator(second, 'GET', '/sim/v1/worlds/main/audit')
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})

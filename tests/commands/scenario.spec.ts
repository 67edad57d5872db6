import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'

const { url, brokerKey, brokerSecret } = broker
const env = { QUIPU_URL: url, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret }
const quipu = (...line: string[]) => command(line, { env })
const file = join(newFolder(), 'mine.yml')

test('list names every scenario, and show prints its file', async () => {
  const { stdout } = await quipu('scenario', 'list', '--json')
  const [first] = JSON.parse(stdout)
  assert.deepEqual([first.name, typeof first.about], ['dividend', 'string'])
  const shown = await quipu('scenario', 'show', 'flash-crash')
  assert.equal(
    shown.stdout,
    readFileSync(new URL('../../scenarios/flash-crash.yml', import.meta.url), 'utf8'),
  )
})

test('schema prints the schema of the reference', async () => {
  const { stdout } = await quipu('scenario', 'schema')
  const page = new URL('../../docs/reference/scenario.schema.json', import.meta.url)
  assert.equal(stdout, readFileSync(page, 'utf8'))
})

const text = `name: mine
about: A stop sells.
world:
  start: 2026-01-05T15:00:00Z
  prices:
    RIVN:
      - { at: 2026-01-05T15:00:00Z, price: 14 }
      - { at: 2026-01-05T15:10:00Z, price: 10 }
accounts: [one, two]
steps:
  - place: { client_order_id: entry, symbol: RIVN, side: buy, qty: 100, type: market }
  - account: two
    deposit: 500.50
  - account: two
    place: { client_order_id: too-large, symbol: RIVN, side: buy, qty: 100000, type: market }
    refused: insufficientBuyingPower
  - after: 1m
    place: { client_order_id: stop, symbol: RIVN, side: sell, qty: 100, type: stop, stop_price: 12 }
  - note: the stop is moved
    replace: { order: stop, stop_price: 11, client_order_id: moved }
  - at: 2026-01-05T15:12:00Z
expect:
  accounts:
    one: { positions: {}, orders: { stop: replaced, moved: { status: filled, filled_avg_price: { max: 11 } } } }
    two: { cash: 100500.50, order_count: 0 }
  events: { orderFilled: 2, transferBooked: 1 }
`

test('run prints the timeline, the result and the journal hash', async () => {
  writeFileSync(file, text)
  const { code, stdout } = await quipu('scenario', 'run', file)
  assert.equal(code, 0, stdout)
  const lines = stdout.split('\n')
  assert.match(lines[0]!, /^2026-01-05 15:00:00\.000 {2}> {2}one place entry RIVN buy 100 market$/)
  assert.ok(
    lines.some((line) => /> {2}two place too-large .*: 403 insufficientBuyingPower: /.test(line)),
    stdout,
  )
  assert.ok(
    lines.some((line) => line.includes('the stop is moved: one replace')),
    stdout,
  )
  assert.match(lines.at(-2)!, /^mine: passed, \d+ events, journal hash [0-9a-f]{64}$/)
})

test('an expectation that does not hold gives exit code 1 and names the field; --keep leaves the world', async () => {
  writeFileSync(file, text.replace('100500.50,', '1,').replace('refused: insufficientBuyingPower', ''))
  const { code, stdout } = await quipu('scenario', 'run', file, '--json', '--keep', '--seed', 'other')
  assert.equal(code, 1)
  const { passed, failures, world, seed, timeline } = JSON.parse(stdout)
  assert.deepEqual([passed, seed, timeline[0].source], [false, 'other', 'step'])
  const fields = failures.map(({ field }: { field: string }) => field)
  assert.deepEqual(fields, ['steps[2].place', 'expect.accounts.two.cash'])
  assert.deepEqual([failures[1].expected, failures[1].received], ['1', '100500.5'])
  const kept = await quipu('world', 'show', world, '--json')
  assert.equal(JSON.parse(kept.stdout).seed, 'other')
})

const everyAction = `name: every-action
about: Every action of a step that no scenario of the package has.
world: { start: 2026-01-05T15:00:00Z, fees: none }
steps:
  - place:
      client_order_id: entry
      symbol: AAPL
      side: buy
      qty: 10
      type: market
      time_in_force: gtc
      order_class: bracket
      take_profit: { limit_price: 2000 }
      stop_loss: { stop_price: 1 }
  - after: 1s
    cancel: entry/take_profit
  - withdraw: 1000
  - mint:
      client_request_id: mint
      underlying_symbol: AAPL
      qty: 4
      issuer: xstocks
      network: base
      wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7'
  - after: 1m
    redeem: { issuer: xstocks, underlying_symbol: AAPL, qty: 1, network: base }
  - after: 1m
    close_position: AAPL
  - market_event: { kind: halt, symbol: MSFT, from: 2026-01-05T16:00:00Z, to: 2026-01-05T17:00:00Z }
  - corporate_action: { type: cash_dividend, symbol: MSFT, ex_date: 2026-01-07, rate: 1 }
  - fault: { match: { account: trader, operation: [placeOrder] }, effect: { kind: status, status: 503 } }
  - place: { client_order_id: late, symbol: MSFT, side: buy, qty: 1, type: market }
    refused: 503
  - at: 2026-01-05T16:30:00Z
    place: { client_order_id: late, symbol: MSFT, side: buy, qty: 1, type: market }
  - after: 1m
expect:
  accounts:
    trader:
      positions: {}
      orders: { entry: filled, entry/take_profit: canceled, entry/stop_loss: canceled, late: new }
      requests: { mint: completed }
  events: { mintCompleted: 1, redeemCompleted: 1, marketEventAdded: 1, actionScheduled: 1 }
  faults: [1]
`

test('every action of a step works', async () => {
  writeFileSync(file, everyAction)
  const { code, stdout } = await quipu('scenario', 'run', file)
  assert.equal(code, 0, stdout)
})

test('world create takes a scenario by name or file, and only a seed beside it', async () => {
  const made = await quipu('world', 'create', 'crash', '--scenario', 'flash-crash', '--json')
  assert.equal(made.code, 0, made.stderr)
  const { world, seed, now, account_names } = JSON.parse(made.stdout)
  assert.deepEqual(
    [world, seed, now.slice(0, 19), account_names],
    ['crash', 'flash-crash', '2026-01-05T15:00:00', ['trader']],
  )
  const refused = await quipu('world', 'create', '--scenario', 'flash-crash', '--cash', '5')
  assert.deepEqual([refused.code, refused.stderr], [2, 'quipu: --cash cannot be combined with --scenario\n'])
  const unknown = await quipu('world', 'create', '--scenario', 'flash-crsh')
  assert.equal(unknown.code, 2)
  assert.match(
    unknown.stderr,
    /^quipu: flash-crsh: no such file, and no scenario of this name: did you mean flash-crash\?$/m,
  )
  const other = await quipu('world', 'create', '--scenario', 'earthquake')
  assert.match(other.stderr, /no scenario of this name: there are dividend, /)
})

test('the server creates the world of a scenario by name, and nothing if a part of it is refused', async () => {
  const operator = { 'APCA-API-KEY-ID': brokerKey, 'APCA-API-SECRET-KEY': brokerSecret }
  const post = async (body: object) => {
    const request = { method: 'POST', headers: operator, body: JSON.stringify(body) }
    const response = await fetch(`${url}/sim/v1/scenario-worlds`, request)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const listed = (await (await fetch(`${url}/sim/v1/scenarios`, { headers: operator })).json()) as object[]
  assert.deepEqual(
    listed.map((one) => `${(one as { readonly name: string }).name}.yml`),
    readdirSync(new URL('../../scenarios', import.meta.url)).sort(),
  )
  assert.deepEqual(Object.keys(listed[0]!), ['name', 'about', 'accounts'])
  assert.equal((await post({ name: 'halt', world: 'halted' })).status, 201)
  const unknown = await post({ name: 'nothing' })
  assert.deepEqual([unknown.status, unknown.body['reason']], [404, 'scenarioNotFound'])
  assert.equal((await post({})).status, 422)
  const action = { type: 'cash_dividend', symbol: 'NOPE', ex_date: '2026-01-07', rate: 1 }
  const scenario = { name: 'x', about: 'y', world: {}, corporate_actions: [action] }
  assert.equal((await post({ scenario, world: 'never' })).status, 422)
  const faults = [{ match: { account: 'nobody' }, effect: { kind: 'answer_lost' } }]
  const named = await post({ scenario: { ...scenario, corporate_actions: [], faults }, world: 'never' })
  assert.deepEqual(
    [named.status, named.body['message']],
    [422, 'scenario.faults[0].match.account: expected one of trader, received "nobody"'],
  )
  assert.equal((await quipu('world', 'show', 'never')).code, 4)
})

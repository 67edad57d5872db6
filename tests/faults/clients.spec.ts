import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { NewFault } from '../../testing/src/kit.ts'
import { call, newWorld } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { newFaultWorld } from './fault-world.ts'

let world: Awaited<ReturnType<typeof newWorld>>
before(async () => {
  world = await newWorld(broker)
})

const run = (line: string) =>
  command([...line.split(' '), '--url', broker.url, '--world', world.world], {
    env: { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret },
  })

async function text(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line)
  assert.equal(code, 0, `${line}: ${stderr}`)
  return stdout
}

test('a rule is created, met, shown, listed and deleted', async () => {
  assert.equal(await text('fault list'), 'no fault rules\n')
  const line =
    'fault create status --status 429 --operation getAccount,placeOrder --nth 2 --name storm --json'
  const created = JSON.parse(await text(line))
  assert.deepEqual(
    [created.id, created.name, created.match, created.effect.status, created.times],
    ['1', 'storm', { operation: ['getAccount', 'placeOrder'], nth: 2 }, 429, 1],
  )
  const statuses = []
  for (let requests = 0; requests < 3; requests += 1)
    statuses.push((await call(world, 'GET', '/v2/account')).status)
  assert.deepEqual(statuses, [200, 429, 200])
  assert.match(await text('fault show 1'), /^consumed +1$/m)
  assert.match(
    await text('fault list'),
    /^ID +KIND +MATCHED +CONSUMED +MATCH +EFFECT +NAME\n1 +status +3 +1\/1 +operation=getAccount,placeOrder nth=2 +.*status=429.* storm\n$/,
  )
  assert.equal(await text('fault delete 1'), '1 is deleted\n')
  assert.equal(await text('fault list'), 'no fault rules\n')
})

test('every flag is a field of the rule', async () => {
  const ruleOf = async (line: string) => {
    const { match, effect, times } = JSON.parse(await text(`fault create ${line} --json`))
    return { match, effect, times }
  }
  assert.deepEqual(
    await ruleOf(
      `delay --min-ms 10 --max-ms 20 --distribution long_tail --applied --share 0.5 --next 4 --symbol AAPL --account ${world.accountId}`,
    ),
    {
      match: { account: world.accountId, symbol: ['AAPL'], next: 4, share: 0.5 },
      effect: { kind: 'delay', applied: true, distribution: 'long_tail', min_ms: 10, max_ms: 20 },
      times: 4,
    },
  )
  assert.deepEqual(
    await ruleOf(
      'close --on message --type fill --stream trade_updates --client-order-id a --code 1012 --text bye',
    ),
    {
      match: { stream: ['trade_updates'], message: ['fill'], client_order_id: 'a' },
      effect: { kind: 'close', on: 'message', code: 1012, message: 'bye' },
      times: 1,
    },
  )
  assert.deepEqual((await ruleOf('lost_subscription --unacknowledged')).effect, {
    kind: 'lost_subscription',
    acknowledged: false,
  })
  assert.deepEqual((await ruleOf('outage --to 2026-01-06T00:00:00Z')).match, { to: '2026-01-06T00:00:00Z' })
  assert.equal(await text('fault delete --all'), 'all fault rules are deleted\n')
})

test('an error names the flag or the field', async () => {
  for (const [line, code, message] of [
    ['fault create status', 4, /effect\.status: required for kind status/],
    ['fault create explode', 4, /effect\.kind: expected one of status, /],
    ['fault create drop --operation placeOrder', 4, /match\.operation: not a field of the effect drop/],
    ['fault create delay --ms soon', 2, /--ms: expected a whole number, received "soon"/],
    ['fault create close --on fill', 2, /--on: expected connection or message, received fill/],
    ['fault delete', 2, /fault delete: expected the ID of a rule, or --all/],
    ['fault delete 1 --all', 2, /fault delete: expected the ID of a rule, or --all/],
    ['fault delete 99', 4, /no fault rule 99/],
    ['fault show x', 4, /no fault rule x/],
  ] as const) {
    const result = await run(line)
    assert.equal(result.code, code, line)
    assert.match(result.stderr, message)
  }
  assert.equal(await text('fault list'), 'no fault rules\n')
})

/** Our own SDK in a world with one fault rule. */
async function quipuWith(rule: NewFault, timeoutMs = 30_000) {
  const { world, consumed } = await newFaultWorld(rule)
  return { world, consumed, quipu: createQuipu({ ...world, retryDelayMs: 5, timeoutMs }) }
}

/** For effects without a response. A busy machine must answer the look-up in this time. */
const TIMEOUT_MS = 1_000

for (const [effect, outcome, timeoutMs] of [
  [{ kind: 'status', status: 503 }, 'repeated'],
  [{ kind: 'status', status: 504, applied: true }, 'found'],
  [{ kind: 'request_lost' }, 'repeated', TIMEOUT_MS],
  [{ kind: 'answer_lost' }, 'found', TIMEOUT_MS],
  [{ kind: 'reset' }, 'repeated'],
  [{ kind: 'reset', applied: true }, 'found'],
  [{ kind: 'truncated' }, 'found'],
  [{ kind: 'delay', client_timeout_ms: TIMEOUT_MS, applied: true }, 'found', TIMEOUT_MS],
] as const)
  test(`our SDK places exactly one order: ${JSON.stringify(effect)}`, async () => {
    const { world, quipu, consumed } = await quipuWith(
      { match: { operation: 'placeOrder' }, effect },
      timeoutMs,
    )
    const { report } = await quipu.orders.market(
      { symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId: 'one' },
      { lookUpMs: 50 },
    )
    assert.equal(report.outcome, outcome)
    assert.equal((await world.orders()).length, 1)
    await consumed()
  })

const fast = { reconnectMs: 5, reconnectMaxMs: 20, heartbeatMs: 50 }

async function updatesWith(t: TestContext, rule: NewFault): Promise<readonly string[]> {
  const { world, quipu, consumed } = await quipuWith(rule)
  const stream = quipu.streams.tradeUpdates(fast)
  t.after(() => stream.close())
  const events: string[] = []
  const filled = new Promise<void>((resolve) =>
    stream.onMessage(({ event, order }) => {
      events.push(`${order.clientOrderId} ${event}`)
      if (event === 'fill' && order.clientOrderId === 'two') resolve()
    }),
  )
  await stream.subscribe()
  for (const clientOrderId of ['one', 'two']) {
    await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId })
    await world.advance('1s')
  }
  await filled
  await consumed()
  return events
}

for (const effect of [
  { kind: 'close', on: 'message' },
  { kind: 'half_open', on: 'message' },
  { kind: 'duplicate' },
] as const)
  test(`our SDK delivers every update once and in order after ${effect.kind}`, async (t) => {
    const events = await updatesWith(t, { match: { message: 'new', client_order_id: 'one' }, effect })
    assert.deepEqual(
      events,
      ['one', 'two'].flatMap((id) => ['pending_new', 'new', 'fill'].map((event) => `${id} ${event}`)),
    )
  })

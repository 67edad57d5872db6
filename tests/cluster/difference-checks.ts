import assert from 'node:assert/strict'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { asOperator } from '../worlds/people.ts'
import { move, moveTo } from './nodes.ts'

/** Compares a world with its fork, first on one node, then on two. */
export async function checkDifference(nodes: readonly Broker[]): Promise<void> {
  const [one, two] = nodes as readonly [Broker, Broker]
  const world = await newWorld(one, { world: 'trunk', durable: true, fees: 'none' })
  await moveTo(one, 'trunk', one)
  await asOperator(one, 'POST', '/trunk/fork', { world: 'branch', durable: true })
  const placed = await call(world, 'POST', '/v2/orders', {
    ...{ symbol: 'AAPL', qty: '2', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' },
    client_order_id: 'only-here',
  })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  const differences = () =>
    Promise.all(
      nodes.map(
        async (node) =>
          (await callAsOperator(node, 'GET', '/sim/v1/worlds/trunk/difference?against=branch')).body,
      ),
    )
  const [atHome] = await differences()
  assert.deepEqual(
    atHome.rows.map(({ differs, world_order }: Body) => [differs, world_order.client_order_id]),
    [[['existence'], 'only-here']],
  )
  assert.ok(atHome.common_past.event > 0)
  await moveTo(one, 'branch', two)
  assert.deepEqual(await differences(), [atHome, atHome])
  for (const node of nodes) {
    const missing = await callAsOperator(node, 'GET', '/sim/v1/worlds/trunk/difference?against=nowhere')
    assert.equal(missing.status, 404)
    const path = '/sim/v1/worlds/trunk/difference?against=branch&against_account_id='
    const unknown = await callAsOperator(node, 'GET', `${path}00000000-0000-4000-8000-000000000000`)
    assert.equal(unknown.status, 404, JSON.stringify(unknown.body))
  }
  for (const name of ['branch', 'trunk']) await asOperator(one, 'DELETE', `/${name}`)
}

/** The part of a comparison that orders far below the market do not change. */
const numbersOf = ({ world, against, common_past, equity_change }: Body) => ({
  ...{ equity: [world.equity, against.equity], cash: [world.cash, against.cash], common_past, equity_change },
})

/**
 * Compares a world with its fork without a pause, at both nodes, while orders are placed in the fork, and while first the
 * fork and then the world move. Each answer has all orders that were confirmed before it was asked for, or is 503 with
 * Retry-After.
 */
export async function checkDifferenceInMoves(
  nodes: readonly Broker[],
  { moves, orders }: { readonly moves: number; readonly orders: number },
): Promise<void> {
  const [one, two] = nodes as readonly [Broker, Broker]
  await newWorld(one, { world: 'moving', durable: true, fees: 'none' })
  await moveTo(one, 'moving', one)
  const created = await asOperator(one, 'POST', '/moving/fork', { world: 'moving-b', durable: true })
  const [{ key_id: keyId, secret_key: secretKey }] = created.accounts
  const [placed, sent] = [new Set<number>(), new Set<number>()]
  const place = async (number: number) => {
    sent.add(number)
    const { status } = await placeNumbered({ url: one.url, keyId, secretKey }, number)
    if (status === 200) placed.add(number)
  }
  for (let from = 0; from < orders; from += 10)
    await Promise.all(Array.from({ length: 10 }, (_, number) => place(from + number)))
  assert.equal(placed.size, orders)
  const ask = (node: Broker) =>
    callAsOperator(node, 'GET', '/sim/v1/worlds/moving/difference?against=moving-b')
  const right = numbersOf((await ask(one)).body)

  let isOver = false
  const answers: Answered[] = []
  const readers = [one, two, one, two].map(async (node) => {
    while (!isOver) {
      const [fromMs, least] = [performance.now(), placed.size]
      const { status, body, headers } = await ask(node)
      answers.push({ status, fromMs, toMs: performance.now() })
      if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]/)
      else {
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual(numbersOf(body), right)
        const found = body.rows.length
        assert.ok(found >= least && found <= sent.size, `${found} rows for ${least} to ${sent.size} orders`)
      }
    }
  })
  const placing = (async () => {
    for (let number = orders; !isOver; number++) await place(number)
  })()
  const moving = moveBoth(one, [two, one], moves).finally(() => {
    isOver = true
  })
  const [periods] = await Promise.all([moving, placing, ...readers])
  const isInMove = ({ fromMs, toMs }: Period) =>
    periods.some((period) => fromMs < period.toMs && period.fromMs < toMs)
  assert.ok(answers.some((answer) => answer.status === 200 && isInMove(answer)))
  assert.ok(placed.size > orders, 'orders were placed meanwhile')
  for (const name of ['moving-b', 'moving']) await asOperator(one, 'DELETE', `/${name}`)
}

type Period = { readonly fromMs: number; readonly toMs: number }
type Answered = Period & { readonly status: number }

const placeNumbered = (key: Parameters<typeof call>[0], number: number) =>
  call(key, 'POST', '/v2/orders', {
    ...{ symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', limit_price: '0.01', time_in_force: 'gtc' },
    client_order_id: `number-${number}`,
  })

/** Moves the fork to each node in turns, then the world. */
async function moveBoth(via: Broker, to: readonly Broker[], moves: number): Promise<readonly Period[]> {
  const periods: Period[] = []
  for (const name of ['moving-b', 'moving'])
    for (let number = 0; number < moves; number++) {
      const fromMs = performance.now()
      const { status, body } = await move(via, name, to[number % to.length]!.url)
      assert.equal(status, 200, JSON.stringify(body))
      periods.push({ fromMs, toMs: performance.now() })
    }
  return periods
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, AuthError, RateLimitError } from '@alpacahq/alpaca-trade-api'
import { buy, newFaultWorld } from './fault-world.ts'

const onOrders = { operation: ['placeOrder'] }

/** The client order ids of all orders of a world. */
const placed = async (world: Awaited<ReturnType<typeof newFaultWorld>>['world']) =>
  (await world.orders()).map(({ client_order_id }) => client_order_id)

const messageOf = async (attempt: Promise<unknown>): Promise<string> => {
  const error = await attempt.then(
    () => assert.fail('the request succeeded'),
    (thrown: Error) => thrown,
  )
  const causes = []
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    causes.push(`${at.message} ${(at as { code?: string }).code ?? ''}`)
  return causes.join(': ')
}

test('status 429: the official client gets the rate limit headers, and the next order is placed', async () => {
  const { world, alpaca, consumed } = await newFaultWorld({
    match: onOrders,
    effect: { kind: 'status', status: 429, retry_after_seconds: 3 },
  })
  const error = await buy(alpaca, 'one').catch((thrown: unknown) => thrown)
  assert.ok(error instanceof RateLimitError)
  assert.deepEqual([error.code, error.retryAfterMs, error.rateLimit?.remaining], [42910000, 3000, 0])
  await buy(alpaca, 'one')
  assert.deepEqual(await placed(world), ['one'])
  await consumed()
})

test('status 401 and 500 have the body of the protocol; a message can be changed', async () => {
  const { world, alpaca } = await newFaultWorld({ effect: { kind: 'status', status: 401 } })
  await world.fault({ effect: { kind: 'status', status: 500, message: 'try again' }, match: { nth: 2 } })
  const refused = await buy(alpaca, 'one').catch((thrown: unknown) => thrown)
  assert.ok(refused instanceof AuthError)
  const failed = await buy(alpaca, 'one').catch((thrown: unknown) => thrown)
  assert.ok(failed instanceof ApiError)
  assert.deepEqual([failed.status, failed.code, failed.message], [500, 50010000, 'try again'])
  assert.deepEqual(
    (await world.faults()).map(({ consumed }) => consumed),
    [1, 1],
  )
})

test('a status after the request was applied is ambiguous: the order exists', async () => {
  const { world, alpaca, consumed } = await newFaultWorld({
    match: onOrders,
    effect: { kind: 'status', status: 504, applied: true },
  })
  const error = await buy(alpaca, 'one').catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ApiError)
  assert.equal(error.status, 504)
  assert.deepEqual(await placed(world), ['one'])
  await consumed()
})

test('the official client retries a read by itself, and the rule was consumed once', async () => {
  const { alpaca, consumed } = await newFaultWorld(
    { match: { operation: ['getAccount'] }, effect: { kind: 'status', status: 503 } },
    { retry: { maxRetries: 2, retryDelayMs: 1, respectRetryAfter: false } },
  )
  assert.equal((await alpaca.trading.account.getAccount()).status, 'ACTIVE')
  await consumed()
})

test('delay: the client gives up, and the late request is applied nevertheless', async () => {
  const { world, alpaca, consumed } = await newFaultWorld(
    { match: onOrders, effect: { kind: 'delay', ms: 2000 } },
    { timeoutMs: 200 },
  )
  assert.match(await messageOf(buy(alpaca, 'one')), /abort|timed? ?out/i)
  assert.deepEqual(await placed(world), [])
  await until(async () => (await placed(world)).length === 1)
  await consumed()
})

test('delay of the response: the order exists when the client gives up', async () => {
  const { world, alpaca, consumed } = await newFaultWorld(
    { match: onOrders, effect: { kind: 'delay', client_timeout_ms: 1000, applied: true } },
    { timeoutMs: 1000 },
  )
  assert.match(await messageOf(buy(alpaca, 'one')), /abort|timed? ?out/i)
  assert.deepEqual(await placed(world), ['one'])
  await consumed()
})

test('delay between two bounds: the response is late, and right', async () => {
  const { alpaca, consumed } = await newFaultWorld({
    match: onOrders,
    effect: { kind: 'delay', min_ms: 100, max_ms: 120, distribution: 'long_tail' },
  })
  const startMs = performance.now()
  assert.equal((await buy(alpaca, 'one')).clientOrderId, 'one')
  assert.ok(performance.now() - startMs >= 99)
  await consumed()
})

for (const [kind, fields, message, isPlaced] of [
  ['request_lost', {}, /other side closed|socket hang up|terminated/, false],
  ['answer_lost', {}, /other side closed|socket hang up|terminated/, true],
  ['reset', {}, /ECONNRESET/, false],
  ['reset', { applied: true }, /ECONNRESET/, true],
  ['truncated', {}, /terminated|aborted|other side closed/, true],
] as const)
  test(`${kind} ${JSON.stringify(fields)}: the connection ends, and the order is${isPlaced ? '' : ' not'} placed`, async () => {
    const { world, alpaca, consumed } = await newFaultWorld({ match: onOrders, effect: { kind, ...fields } })
    assert.match(await messageOf(buy(alpaca, 'one')), message)
    assert.deepEqual(await placed(world), isPlaced ? ['one'] : [])
    // The safe way out of the ambiguity: the same client order id again.
    await buy(alpaca, 'one').catch(() => undefined)
    assert.deepEqual(await placed(world), ['one'])
    await consumed()
  })

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 10_000
  while (!(await isDone())) {
    assert.ok(performance.now() < endMs, 'it takes too long')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

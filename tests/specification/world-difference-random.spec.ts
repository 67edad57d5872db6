import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { Random, seed } from '../support/random.ts'
import { advance, assertAddsUp, compared, control, fork, type Key, limit } from './difference.ts'
import { newWorld } from './stage.ts'

const SYMBOLS = ['AAPL', 'KO', 'BTC/USD']

/** Sends one random command to a branch. A refused one changes nothing. */
async function act(random: Random, branch: Key, step: number): Promise<void> {
  const { body: open } = await call(branch, 'GET', '/v2/orders?status=open')
  if (open.length > 0 && random.chance(0.3)) {
    const { id, limit_price } = random.pick(open as Body[])
    if (random.chance(0.5)) await call(branch, 'DELETE', `/v2/orders/${id}`)
    else
      await call(branch, 'PATCH', `/v2/orders/${id}`, {
        limit_price: (Number(limit_price ?? 100) * 1.01).toFixed(2),
      })
    return
  }
  const symbol = random.pick(SYMBOLS)
  const { body: quotes } = await call(branch, 'GET', '/v2/stocks/quotes/latest?symbols=AAPL,KO')
  const price = symbol in quotes.quotes ? quotes.quotes[symbol].ap : 60_000
  const terms = random.chance(0.5)
    ? { type: 'market' }
    : limit((price * (0.998 + random.next() * 0.004)).toFixed(2))
  const named = random.chance(0.6) ? { client_order_id: `s-${step}` } : {}
  const qty = symbol === 'BTC/USD' ? '0.0123' : String(random.integer(1, 20))
  await call(branch, 'POST', '/v2/orders', {
    ...{ symbol, side: random.pick(['buy', 'buy', 'sell']), qty, time_in_force: 'gtc', ...terms, ...named },
  })
}

for (const run of casesOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2))
  test(`random forks: the rows and the rest add up to the difference in equity (SEED=${seed}, ${run})`, async () => {
    const random = new Random(seed, 'difference', run)
    const worlds: Key[] = [await newWorld({ seed: `difference-${run}` })]
    for (let step = 0; step < 40; step++) {
      const one = random.pick(worlds)
      if (worlds.length < 4 && random.chance(0.1)) worlds.push(await fork(one))
      else if (random.chance(0.15)) {
        const depth = '0.05'
        const at = new Date(Date.parse((await control('GET', one.world)).body.now) + 240_000)
        at.setUTCSeconds(0, 0)
        await control('POST', `${one.world}/market-events`, { kind: 'crash', at: at.toISOString(), depth })
      } else await act(random, one, step)
      if (random.chance(0.4)) await advance(random.pick(worlds), { by: random.pick(['20s', '7m', '1d']) })
    }
    if (worlds.length === 1) worlds.push(await fork(worlds[0]!))
    let rows = 0
    for (const one of worlds)
      for (const other of worlds) {
        if (one === other) continue
        const found = await compared(one, other)
        assertAddsUp(found)
        rows += found.rows.length
        const at = `accounts/${one.accountId}/snapshot`
        if (found.tips_apart_ms >= 0) {
          const { body } = await control('GET', `${one.world}/${at}`)
          assert.equal(found.world.equity, body.account.equity)
        }
      }
    assert.ok(rows > 0)
  })

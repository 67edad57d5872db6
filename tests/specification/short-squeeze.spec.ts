import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../broker.ts'
import { broker, get, place, type World, world } from './stage.ts'

/**
 * Ten thousand dollars short a thousand shares of some twenty dollars each; two mornings in a row the share opens higher.
 * The account may do what takes risk away, and ever less that adds to it; with less than 2,000 left it is short no more.
 */
const story = [
  // when         what is done       what is answered                                 position  buying power
  ['Monday', 'sell 1000 GME', 'accepted', '-1000', 'yes'],
  ['Monday', 'sell 1500 GME', '403 insufficient buying power', '-1000', 'yes'],
  ['Monday', 'buy 1001 GME', '403 insufficient qty available for order', '-1000', 'yes'],
  ['Tuesday', 'sell 1 GME', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'buy 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'sell 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Wednesday', 'sell 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 900 GME', 'accepted', '-100', 'yes'],
  ['Wednesday', 'buy 1 KO', 'accepted', '-100', 'yes'],
  ['Wednesday', 'close GME', 'accepted', '0', 'yes'],
  ['Wednesday', 'sell 1 GME', '403 account is not allowed to short', '0', 'yes'],
] as const

async function answerTo(own: World, what: string): Promise<string> {
  const [verb, ...words] = what.split(' ')
  const [qty, symbol = qty] = words
  const { status, body } =
    verb === 'close'
      ? await call(own, 'DELETE', `/v2/positions/${symbol}`)
      : await place(own, { symbol, qty, side: verb, type: 'market', time_in_force: 'day' })
  return status === 200 ? 'accepted' : `${status} ${body.message.replace(/ \(.*/, '')}`
}

test('a short squeeze into margin refusals, then closing orders only, then out of it', async () => {
  const own = await world({
    hours: 'nyse',
    start: '2026-11-02T15:30:00Z',
    cash: '10000',
    symbols: ['GME:20', 'KO'],
    market_events: [
      { kind: 'gap', symbol: 'GME', on: '2026-11-03', percent: '22' },
      { kind: 'gap', symbol: 'GME', on: '2026-11-04', percent: '7' },
    ],
  })
  const account = async () => (await get(own, '/v2/account')).body
  let day = 'Monday'
  for (const [when, what, answer, position, power] of story) {
    if (when !== day) await own.advance('24h')
    day = when
    assert.equal(await answerTo(own, what), answer, `${when}: ${what}`)
    const { body: held } = await get(own, '/v2/positions/GME')
    const { equity, maintenance_margin, buying_power } = await account()
    assert.equal(held.qty ?? '0', position, `${when}: ${what}`)
    assert.equal(Number(equity) > Number(maintenance_margin) ? 'yes' : 'no', power, `${when}: ${what}`)
    assert.equal(Number(buying_power) > 0 ? 'yes' : 'no', power, `${when}: ${what}`)
  }
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}/audit`)
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})

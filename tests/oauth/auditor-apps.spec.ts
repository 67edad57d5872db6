import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Body } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { allowApp, asOperator, newApp, newUser, sessionToken, signIn } from '../worlds/people.ts'

/** What a token gets for an order, and for reading the account. */
async function rightsOf(token: string): Promise<readonly [number, string | undefined, number]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const placed = await fetch(`${broker.url}/v2/orders`, {
    method: 'POST',
    headers,
    body: JSON.stringify(order),
  })
  const { reason } = (await placed.json()) as Body
  return [placed.status, reason, (await fetch(`${broker.url}/v2/account`, { headers })).status]
}

const READS = [403, 'readOnlyToken', 200]
const TRADES = [200, undefined, 200]

for (const isCopy of [false, true]) {
  const where = isCopy ? 'a copy of main' : 'main'

  async function worldFor(t: TestContext): Promise<string> {
    if (!isCopy) return 'main'
    const { world } = await asOperator(broker, 'POST', '/main/fork', {})
    t.after(() => asOperator(broker, 'DELETE', `/${world}`))
    return world
  }

  test(`in ${where}, an app that an auditor allowed reads and changes nothing`, async (t) => {
    const person = await newUser(broker, 'main', { auditor: true })
    const app = await newApp(broker, await worldFor(t))
    const { browser } = await signIn(broker, app.request, person.name)
    assert.deepEqual(await rightsOf(await allowApp(broker, app, browser, person)), READS)
  })

  test(`in ${where}, tokens of a person who becomes an auditor change nothing any more`, async (t) => {
    const person = await newUser(broker, 'main')
    const app = await newApp(broker, await worldFor(t))
    const { browser } = await signIn(broker, app.request, person.name)
    const token = await allowApp(broker, app, browser, person)
    const [{ account_id }] = person.accounts
    const ofSession = async () => (await sessionToken(broker.url, browser, { account_id })).body.access_token
    const early = await ofSession()
    assert.deepEqual([await rightsOf(token), await rightsOf(early)], [TRADES, TRADES])
    const become = (auditor: boolean) =>
      asOperator(broker, 'PATCH', `/main/users/${person.name}`, { auditor })
    const participant = new WebSocket(`${broker.url.replace('http', 'ws')}/sim/v1/participant`, {
      headers: { authorization: `Bearer ${token}` },
    })
    t.after(() => participant.terminate())
    await once(participant, 'message')
    const closed = once(participant, 'close').then(([code]) => code)
    await become(true)
    assert.deepEqual(await rightsOf(token), READS)
    assert.equal(await Promise.race([closed, sleep(5000, 'open', { ref: false })]), 1008)
    assert.deepEqual(await rightsOf(early), [401, 'unauthorized', 401], 'a token from before has ended')
    assert.deepEqual(await rightsOf(await ofSession()), READS)
    await become(false)
    assert.deepEqual(await rightsOf(token), TRADES)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../support/broker.ts'
import { bearer, newWorld, placeOrder, restingBuy } from './stage.ts'

const TRADES = '/v2/events/trades'

test('an app token receives past and live events of its account only', async () => {
  const world = await newWorld({ accounts: 2 })
  const { client_id, client_secret, redirect_uri } = world.created.oauth_client
  const tokenOf = async (account_id: string): Promise<string> => {
    const grant = { client_id, client_secret, redirect_uri, scope: 'data', account_id }
    const { status, body } = await call(world.partner, 'POST', '/v1/oauth/token', grant)
    assert.equal(status, 200, JSON.stringify(body))
    return body.access_token
  }
  const before = await placeOrder(world, restingBuy)
  const since = encodeURIComponent('2026-01-01T00:00:00Z')
  const token = await tokenOf(world.accountId)
  const stream = await fetch(`${world.url}${TRADES}?since=${since}`, { headers: bearer(token) })
  assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream'])
  const after = await placeOrder(world, restingBuy)
  let text = ''
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes(after.id) && text.endsWith('\n\n')) break
  }
  assert.ok(text.indexOf(before.id) > 0 && text.indexOf(before.id) < text.indexOf(after.id))

  const otherAccount = world.created.accounts[1].account_id
  const until = encodeURIComponent('2026-01-02T00:00:00Z')
  const other = { headers: bearer(await tokenOf(otherAccount)) }
  const empty = await fetch(`${world.url}${TRADES}?since=${since}&until=${until}`, other)
  assert.deepEqual([empty.status, await empty.text()], [200, ''])
  const wrong = await fetch(`${world.url}${TRADES}`, { headers: bearer(`${token}x`) })
  assert.equal(wrong.status, 401)
})

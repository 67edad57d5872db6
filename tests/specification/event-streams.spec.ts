import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../broker.ts'
import { bearer, placed, restingBuy, world } from './stage.ts'

const TRADES = '/v2/events/trades'

test('a token of an app hears the events of its account, the past and what happens now, and no other hears them', async () => {
  const own = await world({ accounts: 2 })
  const { client_id, client_secret, redirect_uri } = own.created.oauth_client
  const tokenOf = async (account_id: string): Promise<string> => {
    const asked = { client_id, client_secret, redirect_uri, scope: 'data', account_id }
    const { status, body } = await call(own.partner, 'POST', '/v1/oauth/token', asked)
    assert.equal(status, 200, JSON.stringify(body))
    return body.access_token
  }
  const before = await placed(own, restingBuy)
  const since = encodeURIComponent('2026-01-01T00:00:00Z')
  const token = await tokenOf(own.accountId)
  const stream = await fetch(`${own.url}${TRADES}?since=${since}`, { headers: bearer(token) })
  assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream'])
  const after = await placed(own, restingBuy)
  let text = ''
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes(after.id) && text.endsWith('\n\n')) break
  }
  assert.ok(text.indexOf(before.id) > 0 && text.indexOf(before.id) < text.indexOf(after.id))

  const others = own.created.accounts[1].account_id
  const until = encodeURIComponent('2026-01-02T00:00:00Z')
  const theirs = { headers: bearer(await tokenOf(others)) }
  const silent = await fetch(`${own.url}${TRADES}?since=${since}&until=${until}`, theirs)
  assert.deepEqual([silent.status, await silent.text()], [200, ''])
  const wrong = await fetch(`${own.url}${TRADES}`, { headers: bearer(`${token}x`) })
  assert.equal(wrong.status, 401)
})

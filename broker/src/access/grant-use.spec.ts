import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found } from '@quipu/core'
import { issueTestToken, registerTestApp } from '@quipu/server/http/oauth/testing/apps.ts'
import { call } from '@quipu/server/http/testing/server.ts'
import { advance, Client, openStage, type Stage } from '@quipu/server/streams/testing/sockets.ts'
import { storedKind } from '../journal/stored-event.ts'

async function stageWithToken(t: { after(run: () => Promise<void>): void }) {
  const stage = await openStage()
  t.after(stage.close)
  const app = await registerTestApp(stage.world)
  return { stage, token: await issueTestToken(stage.world, app, stage.accountId, 'data') }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Number of use events so far, once all commands are durable. */
async function uses({ world }: Stage): Promise<number> {
  await world.commands.quiet()
  let count = 0
  for await (const entries of world.storage.journal.read(0))
    count += entries.filter((entry) => storedKind(entry) === 'grantUsed').length
  return count
}

test('the first call of an app is recorded, then one per hour', async (t) => {
  const { stage, token } = await stageWithToken(t)
  const grant = () => found([...stage.world.view.grants.values()][0], 'the grant')
  assert.equal(grant().lastUsedAt, undefined)
  const at = stage.clock.now()
  for (let n = 0; n < 5; n++) assert.equal((await call(stage, 'GET /v2/account', bearer(token))).status, 200)
  assert.ok(found(grant().lastUsedAt, 'the use') >= at)
  assert.equal(await uses(stage), 1)
  await advance(stage, 59)
  await call(stage, 'GET /v2/account', bearer(token))
  assert.equal(await uses(stage), 1)
  await advance(stage, 2)
  await call(stage, 'GET /v2/account', bearer(token))
  assert.equal(await uses(stage), 2)
})

test('many calls at once are recorded once', async (t) => {
  const { stage, token } = await stageWithToken(t)
  await Promise.all(Array.from({ length: 20 }, () => call(stage, 'GET /v2/account', bearer(token))))
  assert.equal(await uses(stage), 1)
})

test('a stream counts as use; a refused request does not', async (t) => {
  const { stage, token } = await stageWithToken(t)
  const body = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(stage, 'POST /v2/orders', { ...bearer(token), body })).status, 401)
  assert.equal(await uses(stage), 0)
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  await client.next()
  await client.request({ action: 'auth', key: 'oauth', secret: token })
  assert.equal(await uses(stage), 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CONFIRM, type IssuerServer, MINT } from './issuer-server.ts'
import { assertSound, callback, jobs, legs, mint, openStage, request, sharesOf } from './stage.ts'

const resting = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  limit_price: '10',
  time_in_force: 'gtc',
}

const never = () => new Promise<undefined>(() => undefined)

/** When the test kills the broker: during a call that is never answered, or after the response. */
const moments: Readonly<Record<string, (issuer: IssuerServer) => Promise<void>>> = {
  'during the mint call': (issuer) => waitForCall(issuer, MINT),
  'after the response to the mint call': (issuer) => waitForResponse(issuer, MINT),
  'during the confirm call': (issuer) => waitForCall(issuer, CONFIRM),
  'after the response to the confirm call': (issuer) => waitForResponse(issuer, CONFIRM),
}

const waitForCall = (issuer: IssuerServer, path: string) =>
  new Promise<void>((resolve) => {
    issuer.respond = (call) => {
      if (call.path !== path) return undefined
      resolve()
      return never()
    }
  })

const waitForResponse = (issuer: IssuerServer, path: string) =>
  new Promise<void>((resolve) => {
    issuer.answered = (call) => call.path === path && resolve()
  })

test('kill -9 between any two steps: one transfer, one confirmed id, no loss', async (t) => {
  const flags = ['--data', newFolder()]
  const { issuer, broker: first, side } = await openStage(t, flags)
  let broker: Broker = first
  let left = 10
  for (const [when, moment] of casesOf(Object.entries(moments)))
    await t.test(when, async () => {
      issuer.calls.length = 0
      const killed = moment(issuer)
      // The response may be lost with the broker; the idempotency key finds the request.
      const key = { 'Idempotency-Key': when.replaceAll(' ', '-') }
      const placed = await call(broker, 'POST', '/v2/orders', resting, key)
      const minting = mint(broker, { qty: '1' }, key).catch(() => undefined)
      await killed
      await broker.kill()
      await minting
      issuer.respond = () => undefined
      issuer.answered = () => undefined
      broker = await startBroker(flags)
      t.after(() => broker.kill())
      const repeated = await call(broker, 'POST', '/v2/orders', resting, key)
      assert.deepEqual([repeated.headers.get('idempotent-replayed'), repeated.body], ['true', placed.body])
      const again = await mint(broker, { qty: '1' }, key)
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
      const id = again.body.tokenization_request_id
      await waitUntil('the mint is confirmed', async () => {
        return issuer.to(CONFIRM).length > 0 && (await jobs(broker)).length === 0
      })

      left -= 1
      assert.equal(await sharesOf(broker), String(left))
      assert.deepEqual(await legs(broker, id), ['-1'])
      for (const { json } of issuer.calls) assert.equal(json.tokenization_request_id, id)
      assert.equal(
        new Set(issuer.to(CONFIRM).map(({ body }) => String(body))).size,
        1,
        'every call has the same body',
      )
      assert.equal(new Set(issuer.to(MINT).map(({ body }) => String(body))).size, 1)
      assert.ok(issuer.calls.length <= 3, 'no answered call is repeated')
      assert.equal((await callback(broker, side, id)).body.status, 'completed')
      await assertSound(broker)
    })

  await t.test('after the response to the callback', async () => {
    const { body } = await mint(broker, { qty: '1' })
    const id = body.tokenization_request_id
    await waitUntil('the request is pending', async () => {
      return (await jobs(broker)).length === 0 && (await request(broker, id)).status === 'pending'
    })
    assert.equal((await callback(broker, side, id)).status, 200)
    await broker.kill()
    broker = await startBroker(flags)
    t.after(() => broker.kill())
    const { status, tx_hash: txHash } = await request(broker, id)
    assert.deepEqual([status, txHash], ['completed', '0xabc'])
    assert.equal((await callback(broker, side, id)).status, 200, 'a repeated callback is accepted')
    assert.deepEqual(await legs(broker, id), ['-1'])
    await assertSound(broker)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, newFolder, startBroker } from '../broker.ts'
import { CONFIRM, type IssuerServer, MINT } from './issuer-server.ts'
import { assertSound, callback, jobs, legs, mint, openStage, request, sharesOf, until } from './stage.ts'

const never = () => new Promise<undefined>(() => undefined)

/** Gives when the broker has to die: at a call that is never answered, or as soon as one was. */
const moments: Readonly<Record<string, (issuer: IssuerServer) => Promise<void>>> = {
  'while the issuer is asked': (issuer) => unanswered(issuer, MINT),
  'as soon as the issuer has said yes': (issuer) => once(issuer, MINT),
  'while the issuer is told that the shares moved': (issuer) => unanswered(issuer, CONFIRM),
  'as soon as the issuer knows': (issuer) => once(issuer, CONFIRM),
}

const unanswered = (issuer: IssuerServer, path: string) =>
  new Promise<void>((resolve) => {
    issuer.meets = (call) => {
      if (call.path !== path) return undefined
      resolve()
      return never()
    }
  })

const once = (issuer: IssuerServer, path: string) =>
  new Promise<void>((resolve) => {
    issuer.answered = (call) => call.path === path && resolve()
  })

test('kill -9 between any two steps: one transfer, the confirm under one id, nothing lost', async (t) => {
  const flags = ['--data', newFolder()]
  const { issuer, broker: first, side } = await openStage(t, flags)
  let broker: Broker = first
  let left = 10
  for (const [when, moment] of Object.entries(moments))
    await t.test(when, async () => {
      issuer.calls.length = 0
      const killed = moment(issuer)
      // The answer may be lost with the broker: the key finds the request again.
      const key = { 'Idempotency-Key': when.replaceAll(' ', '-') }
      const asked = mint(broker, { qty: '1' }, key).catch(() => undefined)
      await killed
      await broker.kill()
      await asked
      issuer.meets = () => undefined
      issuer.answered = () => undefined
      broker = await startBroker(flags)
      t.after(() => broker.kill())
      const again = await mint(broker, { qty: '1' }, key)
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
      const id = again.body.tokenization_request_id
      await until(async () => issuer.to(CONFIRM).length > 0 && (await jobs(broker)).length === 0)

      left -= 1
      assert.equal(await sharesOf(broker), String(left))
      assert.deepEqual(await legs(broker, id), ['-1'])
      for (const { json } of issuer.calls) assert.equal(json.tokenization_request_id, id)
      assert.equal(new Set(issuer.to(CONFIRM).map(({ body }) => String(body))).size, 1, 'the same every time')
      assert.equal(new Set(issuer.to(MINT).map(({ body }) => String(body))).size, 1)
      assert.ok(issuer.calls.length <= 3, 'nothing is called again that was answered')
      assert.equal((await callback(broker, side, id)).body.status, 'completed')
      await assertSound(broker)
    })

  await t.test('as soon as the callback was answered', async () => {
    const { body } = await mint(broker, { qty: '1' })
    const id = body.tokenization_request_id
    await until(
      async () => (await jobs(broker)).length === 0 && (await request(broker, id)).status === 'pending',
    )
    assert.equal((await callback(broker, side, id)).status, 200)
    await broker.kill()
    broker = await startBroker(flags)
    t.after(() => broker.kill())
    const { status, tx_hash: txHash } = await request(broker, id)
    assert.deepEqual([status, txHash], ['completed', '0xabc'])
    assert.equal((await callback(broker, side, id)).status, 200, 'said twice it is true once')
    assert.deepEqual(await legs(broker, id), ['-1'])
    await assertSound(broker)
  })
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient, createQuipu, NetworkError, UnknownOutcomeError, write } from '@quipu/sdk'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

const request = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const

/** An account with ten shares. `lose` spoils the responses to the next mints, which the server executes. */
async function holder() {
  const world = await newWorld(broker)
  const { keyId, secretKey, url, advance } = world
  let spoil: (() => Response)[] = []
  const lossy: typeof fetch = async (to, init) => {
    const response = await fetch(to, init)
    const spoiled = init?.method === 'POST' ? spoil.shift() : undefined
    return spoiled === undefined ? response : spoiled()
  }
  const direct = createQuipu({ url, keyId, secretKey })
  await direct.orders.market({ symbol: 'AAPL', qty: 10, side: 'buy' })
  await advance('1m')
  return {
    ...world,
    direct,
    quipu: createQuipu({ url, keyId, secretKey, fetch: lossy, retryDelayMs: 1 }),
    lossy,
    lose: (...responses: (() => Response)[]) => {
      spoil = responses
    },
    labels: async () => (await direct.tokenization.list()).map((one) => one.client_request_id),
  }
}

const lost = (): never => {
  throw new TypeError('the connection is lost')
}
const failed = () => Response.json({ code: 50010000, message: 'internal error' }, { status: 500 })

test('two mints with the same label are two mints, and a label may have spaces', async () => {
  const { quipu, labels } = await holder()
  const labelled = { ...request, client_request_id: 'on chain' }
  const first = await quipu.tokenization.mint(labelled)
  const second = await quipu.tokenization.mint(labelled)
  assert.notEqual(first.tokenization_request_id, second.tokenization_request_id)
  assert.notEqual(first.report.key, second.report.key)
  assert.equal(first.report.outcome, 'confirmed')
  assert.deepEqual(await labels(), ['on chain', 'on chain'])
})

for (const spoiled of [lost, failed])
  test(`a mint is made once, whatever responses are ${spoiled.name}`, async () => {
    const { quipu, lose, labels } = await holder()
    lose(spoiled)
    const labelled = await quipu.tokenization.mint({ ...request, client_request_id: 'mine' })
    const { outcome, attempts } = labelled.report
    assert.deepEqual([outcome, attempts], ['repeated', 2])
    lose(spoiled, spoiled, spoiled)
    const found = await quipu.tokenization.mint(request)
    assert.deepEqual([found.report.outcome, found.report.lookUps], ['found', 1])
    assert.deepEqual(await labels(), [found.report.key, 'mine'])

    lose(spoiled, spoiled, spoiled)
    const key = await quipu.tokenization.mint({ ...request, client_request_id: 'lost' }).then(
      () => assert.fail('the outcome was known'),
      (error: unknown) => {
        assert.ok(error instanceof UnknownOutcomeError && error instanceof NetworkError)
        return error.idempotencyKey!
      },
    )
    const again = { ...request, client_request_id: 'lost' }
    const known = await quipu.tokenization.mint(again, { idempotencyKey: key })
    assert.equal(known.report.key, key)
    assert.deepEqual((await labels()).slice(0, 2), ['lost', found.report.key])
    await assert.rejects(
      quipu.tokenization.mint({ ...again, qty: '2' }, { idempotencyKey: key }),
      /already used with a different body/,
    )
  })

test('a mint whose connection is cut is minted once', async (t: TestContext) => {
  const { url, keyId, secretKey, direct, advance } = await holder()
  const proxy = await openProxy(url)
  t.after(proxy.close)
  const quipu = createQuipu({ url: proxy.url, keyId, secretKey, retryDelayMs: 5, timeoutMs: 2000 })
  await quipu.account.get()
  proxy.truncate(20, 2)
  const { tokenization_request_id: id } = await quipu.tokenization.mint(request)
  await advance('1h')
  assert.equal((await quipu.tokenization.wait(id)).status, 'completed')
  assert.equal((await direct.tokenization.list()).length, 1)
})

test('any call that takes an idempotency key is executed once', async () => {
  const { accountId, partner, lossy, lose } = await holder()
  const client = createClient({
    ...partner,
    fetch: lossy,
  })
  const params = { account_id: accountId }
  const body = { direction: 'INCOMING', amount: '5' } as const
  lose(lost)
  const { output, report } = await write(client, 'createTransfer', { params, body })
  assert.deepEqual([report.outcome, report.attempts], ['repeated', 2])
  const transfers = await client.listTransfers({ params })
  assert.deepEqual(
    transfers.map((one) => one.id),
    [output.id],
  )
  lose(failed, failed)
  await assert.rejects(
    write(client, 'createTransfer', { params, body }, { idempotencyKey: 'mine', repetitions: 1 }),
    (error: unknown) => error instanceof UnknownOutcomeError && error.idempotencyKey === 'mine',
  )
})

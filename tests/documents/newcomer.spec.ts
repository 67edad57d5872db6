import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { type Broker, call, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const broker = await startBroker()
after(() => broker.kill())

/** The complete lines of the log. */
const linesOf = ({ log }: Broker): readonly string[] => log().split('\n').slice(0, -1)

const order = { qty: 1, side: 'buy', type: 'market', time_in_force: 'day' }

/** Common first mistakes: the response follows the protocol, and the log has a hint. */
const rows: readonly (readonly [mistake: string, make: () => Promise<unknown>, hint: RegExp])[] = [
  [
    'a key of another server',
    async () => {
      const { status } = await call({ ...broker, keyId: 'AKELSEWHERE' }, 'GET', '/v2/account')
      assert.equal(status, 401)
    },
    /unknown API key \\"AKEL…\\".*`quipu env` prints a valid key/,
  ],
  [
    'a base URL that ends in /v2',
    async () => {
      const { status, body } = await call(broker, 'GET', '/v2/v2/account')
      assert.deepEqual([status, body.code], [404, 40410000])
    },
    /the base URL of a client should end before \/v2/,
  ],
  [
    'https on the http port',
    async () => {
      const socket = connect({ port: Number(new URL(broker.url).port), rejectUnauthorized: false })
      await assert.rejects(once(socket, 'secureConnect'))
    },
    /received https on the http port: use an address that begins with http:\/\//,
  ],
  [
    'an unknown symbol',
    async () => {
      const { status } = await call(broker, 'POST', '/v2/orders', { ...order, symbol: 'APPL' })
      assert.equal(status, 422)
    },
    /unknown symbol \\"APPL\\"; did you mean AAPL\?/,
  ],
]

for (const [mistake, make, hint] of rows)
  test(`${mistake}: the log has a hint`, async () => {
    await make()
    const line = await waitUntil('the log has a hint', async () =>
      linesOf(broker).find((one) => hint.test(one)),
    )
    assert.equal(JSON.parse(line).level, 'warn')
  })

test('the base URL in a browser shows a page about Quipu', async () => {
  const { status, body, headers } = await call(broker, 'GET', '/')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(body, /Quipu/)
})

test('the log has no secrets', async () => {
  await call(broker, 'GET', '/v2/account')
  await call({ ...broker, secretKey: 'wrong-secret' }, 'GET', '/v2/account')
  await call({ ...broker, keyId: broker.secretKey }, 'GET', '/v2/account')
  // The log is complete only after the process has ended.
  assert.equal(await broker.stop(), 0)
  assert.match(broker.log(), /"status":401/)
  for (const secret of [broker.secretKey, broker.brokerSecret, broker.oauthClientSecret, 'wrong-secret'])
    assert(!broker.log().includes(secret))
})

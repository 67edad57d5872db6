import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Loss, openProxy, type TcpProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { type Body, type Broker, call, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { load, save, sim } from './files.ts'

// The database is lost while a durable world changes, at each step. The world heals by itself when the database is back.

const cluster = await Cluster.common()
after(() => cluster.stop())

type Stage = { readonly broker: Broker; readonly proxy: TcpProxy; readonly world: string }

/** The status of a request; 0 if its connection was closed without a response. */
const statusOf = (response: Promise<{ readonly status: number }>): Promise<number> =>
  response.then(
    ({ status }) => status,
    () => 0,
  )

/** Without the database, nobody says that the change was applied. */
async function assertLost(stage: Stage, change: Promise<{ readonly status: number }>): Promise<void> {
  const status = await statusOf(change)
  assert.ok([0, 503].includes(status), `${status} without the database`)
  stage.proxy.open()
}

const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'day' }

/** A durable world with an order. */
async function traded({ broker, world }: Stage) {
  const made = await newWorld(broker, { world, durable: true, hours: 'always' })
  const key = { url: broker.url, keyId: made.keyId, secretKey: made.secretKey }
  assert.equal((await call(key, 'POST', '/v2/orders', order)).status, 200)
  return key
}

/** A change that creates a world: its name is free again. */
async function assertCreation(stage: Stage, loss: Loss, create: () => Promise<{ readonly status: number }>) {
  stage.proxy.loseAt(loss)
  await assertLost(stage, create())
  await waitUntil('the world is created', async () => {
    const status = await statusOf(create())
    assert.ok([0, 201, 401, 409, 422, 503].includes(status), String(status))
    return status === 201
  })
}

const changes: Readonly<Record<string, (stage: Stage, loss: Loss) => Promise<unknown>>> = {
  create: (stage, loss) => {
    const { broker, world } = stage
    return assertCreation(stage, loss, () => sim(broker, 'POST', '', { world, durable: true }))
  },
  async fork(stage, loss) {
    const { broker, world } = stage
    const fork = { world: `${world}-copy`, durable: true }
    await traded(stage)
    await assertCreation(stage, loss, () => sim(broker, 'POST', `${world}/fork`, fork))
  },
  async load(stage, loss) {
    const { broker, world } = stage
    await traded(stage)
    const file = await save(broker, world)
    await assertCreation(stage, loss, () => load(broker, file, `?world=${world}-loaded&durable=true`))
  },
  async reset(stage, loss) {
    const { broker, proxy, world } = stage
    const key = await traded(stage)
    const ordersOf = async () => (await call(key, 'GET', '/v2/orders')).body.length
    proxy.loseAt(loss)
    const reset = statusOf(sim(broker, 'POST', `${world}/reset`, {}))
    const status = await reset
    assert.equal((await call(key, 'GET', '/v2/account')).status, 503, 'no key is refused meanwhile')
    await assertLost(stage, Promise.resolve({ status }))
    await waitUntil('the world answers', async () => (await call(key, 'GET', '/v2/account')).status === 200)
    if (loss.when === 'before') assert.equal(await ordersOf(), 1, 'nothing was reset')
    await waitUntil(
      'the world is reset',
      async () => (await sim(broker, 'POST', `${world}/reset`, {})).status === 200,
    )
    assert.equal(await ordersOf(), 0)
    assert.equal((await sim(broker, 'GET', `${world}/audit`)).body.sound, true)
  },
  async delete(stage, loss) {
    const { broker, proxy, world } = stage
    const key = await traded(stage)
    const isOpen = async () => (await call(key, 'GET', '/v2/orders')).body.length === 1
    const isDeleted = async () => (await call(key, 'GET', '/v2/account')).status === 401
    proxy.loseAt(loss)
    await assertLost(stage, sim(broker, 'DELETE', world))
    await waitUntil('the world answers, or is deleted', loss.when === 'committed' ? isDeleted : isOpen)
    await waitUntil('main answers', async () => (await call(broker, 'GET', '/v2/account')).status === 200)
    const list = await waitUntil('the worlds are listed', async () => {
      const { status, body } = await sim(broker, 'GET', '')
      return status === 200 ? (body as readonly Body[]) : undefined
    })
    const listed = list.some((one) => one['world'] === world)
    assert.equal(listed, loss.when !== 'committed')
    if (listed) assert.equal((await sim(broker, 'DELETE', world)).status, 204)
    await waitUntil('the name is free', async () => {
      const { status } = await sim(broker, 'POST', '', { world, durable: true })
      assert.ok([201, 409].includes(status), String(status))
      return status === 201
    })
  },
}

const reserved = /INSERT INTO quipu_worlds/
const recorded = /UPDATE quipu_worlds SET record/
const deleted = /DELETE FROM quipu_worlds WHERE world/
/** The name of a prepared statement, which a connection sends instead of its text. */
const copied = /append\0/

/** The first ones are in `npm test`. */
const steps: readonly (readonly [change: string, when: Loss['when'], sent: RegExp])[] = [
  ['reset', 'answered', recorded],
  ['delete', 'before', deleted],
  ['reset', 'before', recorded],
  ['create', 'answered', reserved],
  ['delete', 'committed', deleted],
  ['reset', 'before', copied],
  ['create', 'before', reserved],
  ['create', 'before', recorded],
  ['create', 'answered', recorded],
  ['fork', 'before', copied],
  ['fork', 'answered', recorded],
  ['load', 'before', copied],
  ['load', 'answered', recorded],
]

async function assertHealing(
  t: TestContext,
  name: string,
  how: Loss['how'],
  start: (store: string) => Promise<Broker>,
): Promise<void> {
  const proxy = await openProxy(await cluster.database(name))
  const broker = await start(proxy.url)
  t.after(async () => {
    await broker.kill()
    proxy.close()
  })
  for (const [index, [change, when, sent]] of casesOf(steps, 2).entries())
    await t.test(`${change}, ${when} ${sent.source}`, async () => {
      await waitUntil('main answers', async () => (await call(broker, 'GET', '/v2/account')).status === 200)
      try {
        await changes[change]!({ broker, proxy, world: `w${index}` }, { sent, when, how })
      } finally {
        proxy.loseAt(undefined)
      }
    })
}

const alone = (store: string) => startBroker(['--data', newFolder(), '--store', store])

test('a server that loses its database in a change of a world heals the world', (t) =>
  assertHealing(t, 'cut', 'cut', alone))

test('the same with a database that becomes silent', { skip: !hasAllCases }, (t) =>
  assertHealing(t, 'silent', 'silent', alone),
)

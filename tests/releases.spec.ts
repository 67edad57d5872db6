import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkJournal } from '../server/src/backup/check-journal.ts'
import { verifyJournal } from '../server/src/journal/verify.ts'
import { mainPaths } from '../server/src/process/folder-layout.ts'
import { version } from '../server/src/process/version.ts'
import { assertSound } from './bad-days/checks.ts'
import { type Body, call, callAsOperator, newFolder, startBroker } from './broker.ts'
import { command } from './quipu-command.ts'
import { type Answers, answersOf, type Books, booksOf } from './releases/record.ts'

const root = join(import.meta.dirname, 'releases')
const releases = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const kept = <Kind>(release: string, name: string): Kind =>
  JSON.parse(readFileSync(join(root, release, name), 'utf8'))

/** Later versions may tell more of a thing, never less and nothing else, and there are as many things. */
function assertHolds(is: Body, was: Body, where: string): void {
  if (was === null || typeof was !== 'object') return assert.deepEqual(is, was, where)
  if (Array.isArray(was)) assert.equal(is?.length, was.length, where)
  for (const name of Object.keys(was)) assertHolds(is?.[name], was[name], `${where}.${name}`)
}

function copyOf(release: string): string {
  const folder = join(newFolder(), 'data')
  cpSync(join(root, release, 'data'), folder, { recursive: true })
  return folder
}

test('this version has kept a data folder', () => {
  assert.ok(releases.includes(version), `keep one: node tests/releases/make.ts`)
})

for (const release of releases) {
  const { seq, hash, ...recorded } = kept<Books>(release, 'books.table.json')

  test(`${release}: the journal reads to its recorded hash, balances and rows`, async () => {
    const data = join(root, release, 'data')
    const is = await booksOf(data)
    assert.deepEqual({ seq: is.seq, hash: is.hash }, { seq, hash })
    assert.deepEqual(is.kinds, recorded.kinds)
    assert.deepEqual(is.balances, recorded.balances)
    assertHolds(is.rows, recorded.rows, 'rows')
    assert.deepEqual((await checkJournal(mainPaths(data).journal)).problems, [])
  })

  test(`${release}: the program opens a copy, answers as it did, and goes on`, async (t) => {
    const data = copyOf(release)
    const broker = await startBroker(['--data', data])
    t.after(broker.kill)
    assertHolds(await answersOf(broker), kept<Answers>(release, 'answers.table.json'), 'answers')
    const order = {
      symbol: 'AAPL',
      side: 'buy',
      qty: '1',
      type: 'limit',
      time_in_force: 'gtc',
      limit_price: '1',
    }
    const placed = await call(broker, 'POST', '/v2/orders', { ...order, client_order_id: 'goes-on' })
    assert.equal(placed.status, 200)
    const taken = await call(broker, 'POST', '/v2/orders', { ...order, client_order_id: 'whole' })
    assert.equal(taken.status, 422, 'a client id of then is still taken')
    const head = await assertSound(broker)
    assert.ok(head.seq > seq)
    assert.equal(await broker.stop(), 0)
    assert.deepEqual((await verifyJournal(mainPaths(data).journal, { upTo: seq })).head, { seq, hash })
    const { code, stdout } = await command(['store', 'verify', '--json', '--data', data])
    assert.equal(code, 0, stdout)
  })

  test(`${release}: who owned it is made its operator, once`, async (t) => {
    const data = copyOf(release)
    const owner = '/sim/v1/worlds/main/users/owner'
    const isOperator = async (broker: Parameters<typeof callAsOperator>[0]) =>
      (await callAsOperator(broker, 'GET', owner)).body['operator']
    const first = await startBroker(['--data', data])
    t.after(first.kill)
    assert.equal(await isOperator(first), true)
    assert.equal((await callAsOperator(first, 'PATCH', owner, { operator: false })).status, 200)
    await first.stop()
    const again = await startBroker(['--data', data])
    t.after(again.kill)
    assert.equal(await isOperator(again), false, 'what an operator took away stays away')
  })
}

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkJournal } from '../../broker/src/backup/check-journal.ts'
import { mainPaths } from '../../broker/src/data-folder/folder-layout.ts'
import { version } from '../../broker/src/data-folder/version.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { assertSound } from '../bad-days/checks.ts'
import { type Body, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { type JournalSummary, type RecordedResponses, responsesOf, summarizeJournal } from './record.ts'

const root = import.meta.dirname
const releases = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const readRecord = <Kind>(release: string, name: string): Kind =>
  JSON.parse(readFileSync(join(root, release, name), 'utf8'))

/** Asserts that the recorded fields and lengths are unchanged. Later versions may add fields. */
function assertContains(actual: Body, recorded: Body, where: string): void {
  if (recorded === null || typeof recorded !== 'object') return assert.deepEqual(actual, recorded, where)
  if (Array.isArray(recorded)) assert.equal(actual?.length, recorded.length, where)
  for (const name of Object.keys(recorded)) assertContains(actual?.[name], recorded[name], `${where}.${name}`)
}

function copyOf(release: string): string {
  const folder = join(newFolder(), 'data')
  cpSync(join(root, release, 'data'), folder, { recursive: true })
  return folder
}

test('this version has a stored data folder', () => {
  assert.ok(releases.includes(version), `create it with: node tests/releases/make.ts`)
})

for (const release of releases) {
  const { seq, hash, ...recorded } = readRecord<JournalSummary>(release, 'books.table.json')

  test(`${release}: the journal gives the recorded hash, balances and rows`, async () => {
    const data = join(root, release, 'data')
    const actual = await summarizeJournal(data)
    assert.deepEqual({ seq: actual.seq, hash: actual.hash }, { seq, hash })
    assert.deepEqual(actual.kinds, recorded.kinds)
    assert.deepEqual(actual.balances, recorded.balances)
    assertContains(actual.rows, recorded.rows, 'rows')
    assert.deepEqual((await checkJournal(mainPaths(data).journal)).problems, [])
  })

  test(`${release}: the server opens a copy, returns the recorded responses, and accepts new orders`, async (t) => {
    const data = copyOf(release)
    const broker = await startBroker(['--data', data])
    t.after(broker.kill)
    assertContains(
      await responsesOf(broker),
      readRecord<RecordedResponses>(release, 'responses.table.json'),
      'answers',
    )
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
    assert.equal(taken.status, 422, 'a client order id of that release is still taken')
    const head = await assertSound(broker)
    assert.ok(head.seq > seq)
    assert.equal(await broker.stop(), 0)
    assert.deepEqual((await verifyJournal(mainPaths(data).journal, { upTo: seq })).head, { seq, hash })
    const { code, stdout } = await command(['store', 'verify', '--json', '--data', data])
    assert.equal(code, 0, stdout)
  })

  test(`${release}: the owner becomes an operator once`, async (t) => {
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
    assert.equal(await isOperator(again), false, 'a removed operator role stays removed')
  })
}

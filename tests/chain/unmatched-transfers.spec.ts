import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Body, callAsOperator, newFolder } from '../broker.ts'
import { command } from '../quipu-command.ts'
import {
  audit,
  bought,
  brokerOn,
  completed,
  contractOn,
  mint,
  ONE,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  STRANGER,
  STRANGER_KEY,
  send,
  shares,
  startNode,
  unmatchedTransfers,
  until,
} from './stage.ts'

const PATH = '/sim/v1/worlds/main/tokenization/unmatched-transfers'
const node = await startNode()
const folder = newFolder()
let broker = await brokerOn(node.url, folder)
after(async () => {
  await broker.stop()
  await node.close()
})

const resolve = (place: string, body: unknown) =>
  callAsOperator(broker, 'POST', `${PATH}/${place}/resolve`, body)
const listed = (many: number): Promise<Body[]> =>
  until(`${many} are on the list`, async () => {
    const list = await unmatchedTransfers(broker)
    return list.length === many && list
  })
const sent = async (): Promise<string> =>
  send(node, STRANGER_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 8n })

let first = ''

test('what a stranger sent is on the list until somebody says what came of it', async () => {
  await bought(broker, 'AAPL', '2')
  await completed(broker, await mint(broker, '1'))
  await send(node, PARTICIPANT_KEY, await contractOn(node), { to: STRANGER, units: ONE })
  first = await sent()
  const second = await sent()
  await listed(2)
  for (const [what, place, body, status] of [
    ['no note', `ethereum/${first}/0`, {}, 422],
    ['an empty one', `ethereum/${first}/0`, { note: '' }, 422],
    ['another transfer of it', `ethereum/${first}/1`, { note: 'x' }, 404],
    ['another network', `base/${first}/0`, { note: 'x' }, 404],
    ['a network nobody knows', `bsc/${first}/0`, { note: 'x' }, 422],
    ['another transaction', `ethereum/0x${'1'.repeat(64)}/0`, { note: 'x' }, 404],
    ['no number', `ethereum/${first}/-1`, { note: 'x' }, 422],
  ] as const)
    assert.equal((await resolve(place, body)).status, status, what)
  const [arrival] = await listed(2)
  const { status, body } = await resolve(`ethereum/${first}/0`, { note: 'sent back to its owner' })
  assert.equal(status, 200)
  assert.deepEqual(body, arrival)
  assert.deepEqual((await listed(1))[0].tx_hash, second)
  assert.equal((await resolve(`ethereum/${first}/0`, { note: 'again' })).status, 404)
  assert.equal(await shares(broker), '1', 'nothing moves')
})

test('the command does the same, and the journal keeps what was said', async () => {
  const [arrival] = await listed(1)
  const place = ['ethereum', arrival.tx_hash, String(arrival.log_index)]
  const list = await command(['unmatched-transfer', 'list', '--data', folder])
  assert.match(
    list.stdout,
    new RegExp(`^ +ethereum +${arrival.tx_hash} +0 .*AAPLx.*no account has minted`, 'm'),
  )
  const without = await command(['unmatched-transfer', 'resolve', ...place, '--data', folder])
  assert.deepEqual([without.code, /expected --note TEXT/.test(without.stderr)], [2, true], without.stderr)
  const done = await command([
    'unmatched-transfer',
    'resolve',
    ...place,
    '--note',
    'a gift',
    '--data',
    folder,
  ])
  assert.equal(done.code, 0, done.stderr)
  await listed(0)
  const { body } = await callAsOperator(
    broker,
    'GET',
    '/sim/v1/worlds/main/events?kind=unmatchedTransferResolved',
  )
  assert.deepEqual(
    body.events.map(({ event }: Body) => [event.transfer.txHash, event.note]),
    [
      [first, 'sent back to its owner'],
      [arrival.tx_hash, 'a gift'],
    ],
  )
})

test('it stays so over a crash, and the next one is listed again', async () => {
  await broker.kill()
  broker = await brokerOn(node.url, folder)
  const txHash = await sent()
  assert.equal((await listed(1))[0].tx_hash, txHash)
  assert.deepEqual((await audit(broker)).problems, [])
})

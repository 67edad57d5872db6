import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Body, callAsOperator, newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  audit,
  buyShares,
  contractOn,
  mint,
  ONE,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  STRANGER,
  STRANGER_KEY,
  send,
  shares,
  startBrokerOn,
  startNode,
  unmatchedTransfers,
  waitForCompletion,
} from './stage.ts'

const PATH = '/sim/v1/worlds/main/tokenization/unmatched-transfers'
const node = await startNode()
const folder = newFolder()
let broker = await startBrokerOn(node.url, folder)
after(async () => {
  await broker.stop()
  await node.close()
})

const resolve = (transfer: string, body: unknown) =>
  callAsOperator(broker, 'POST', `${PATH}/${transfer}/resolve`, body)
const waitForList = (count: number): Promise<Body[]> =>
  waitUntil(`${count} transfers are listed`, async () => {
    const list = await unmatchedTransfers(broker)
    return list.length === count && list
  })
const sendFromStranger = async (): Promise<string> =>
  send(node, STRANGER_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 8n })

let first = ''

test('a transfer from an unknown wallet is listed until an operator resolves it', async () => {
  await buyShares(broker, 'AAPL', '2')
  await waitForCompletion(broker, await mint(broker, '1'))
  await send(node, PARTICIPANT_KEY, await contractOn(node), { to: STRANGER, units: ONE })
  first = await sendFromStranger()
  const second = await sendFromStranger()
  await waitForList(2)
  for (const [problem, transfer, body, status] of [
    ['no note', `ethereum/${first}/0`, {}, 422],
    ['an empty note', `ethereum/${first}/0`, { note: '' }, 422],
    ['another log index', `ethereum/${first}/1`, { note: 'x' }, 404],
    ['another network', `base/${first}/0`, { note: 'x' }, 404],
    ['an unknown network', `bsc/${first}/0`, { note: 'x' }, 422],
    ['another transaction', `ethereum/0x${'1'.repeat(64)}/0`, { note: 'x' }, 404],
    ['a negative log index', `ethereum/${first}/-1`, { note: 'x' }, 422],
  ] as const)
    assert.equal((await resolve(transfer, body)).status, status, problem)
  const [listed] = await waitForList(2)
  const { status, body } = await resolve(`ethereum/${first}/0`, { note: 'sent back to its owner' })
  assert.equal(status, 200)
  assert.deepEqual(body, listed)
  assert.deepEqual((await waitForList(1))[0].tx_hash, second)
  assert.equal((await resolve(`ethereum/${first}/0`, { note: 'again' })).status, 404)
  assert.equal(await shares(broker), '1', 'no shares move')
})

test('the command resolves a transfer, and the journal has the notes', async () => {
  const [transfer] = await waitForList(1)
  const position = ['ethereum', transfer.tx_hash, String(transfer.log_index)]
  const list = await command(['unmatched-transfer', 'list', '--data', folder])
  assert.match(
    list.stdout,
    new RegExp(`^ +ethereum +${transfer.tx_hash} +0 .*AAPLx.*no account has minted`, 'm'),
  )
  const without = await command(['unmatched-transfer', 'resolve', ...position, '--data', folder])
  assert.deepEqual([without.code, /expected --note TEXT/.test(without.stderr)], [2, true], without.stderr)
  const done = await command([
    'unmatched-transfer',
    'resolve',
    ...position,
    '--note',
    'a gift',
    '--data',
    folder,
  ])
  assert.equal(done.code, 0, done.stderr)
  await waitForList(0)
  const { body } = await callAsOperator(
    broker,
    'GET',
    '/sim/v1/worlds/main/events?kind=unmatchedTransferResolved',
  )
  assert.deepEqual(
    body.events.map(({ event }: Body) => [event.transfer.txHash, event.note]),
    [
      [first, 'sent back to its owner'],
      [transfer.tx_hash, 'a gift'],
    ],
  )
})

// crash.spec.ts shows in each run that the facts of a chain survive a crash.
test('after a crash resolved transfers stay resolved, and a new transfer is listed', {
  skip: !hasAllCases,
}, async () => {
  await broker.kill()
  broker = await startBrokerOn(node.url, folder)
  const txHash = await sendFromStranger()
  assert.equal((await waitForList(1))[0].tx_hash, txHash)
  assert.deepEqual((await audit(broker)).problems, [])
})

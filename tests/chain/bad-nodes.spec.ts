import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newFolder, startBroker } from '../broker.ts'
import {
  audit,
  balanceOn,
  bought,
  brokerOn,
  completed,
  contractOn,
  mint,
  PARTICIPANT,
  startNode,
  until,
} from './stage.ts'

const jobs = async (broker: Parameters<typeof callAsOperator>[0]) =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/jobs')).body

test('a node that does not answer holds a mint up, and loses none', async () => {
  const node = await startNode()
  const broker = await brokerOn(node.url)
  try {
    await bought(broker, 'AAPL', '1')
    node.refuses = true
    const id = await mint(broker, '1')
    const [job] = await until('the job has failed', async () => {
      const list = await jobs(broker)
      return list[0]?.problem ? list : undefined
    })
    assert.equal(job.kind, 'chain_mint')
    assert.equal(job.tokenization_request_id, id)
    // Addresses of nodes hold keys: no problem names one.
    assert.doesNotMatch(job.problem, /127\.0\.0\.1/)
    node.refuses = false
    await completed(broker, id)
    assert.equal(await balanceOn(node, await contractOn(node), PARTICIPANT), 10n ** 18n)
    assert.deepEqual((await audit(broker)).problems, [])
    node.refuses = true
    assert.deepEqual((await audit(broker)).problems, [
      'supply of AAPLx on ethereum is not known: the node responded to eth_call with status 503',
    ])
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('books that know one chain do nothing on another', async () => {
  const [first, other] = [await startNode(), await startNode({ chainId: 99 })]
  const folder = newFolder()
  let broker = await brokerOn(first.url, folder)
  try {
    await bought(broker, 'AAPL', '2')
    await completed(broker, await mint(broker, '1'))
    await broker.stop()
    broker = await brokerOn(other.url, folder)
    await mint(broker, '1')
    const [job] = await until('the job has failed', async () => {
      const list = await jobs(broker)
      return list[0]?.problem ? list : undefined
    })
    assert.equal(job.problem, 'the node is on chain 99, but this data folder belongs to chain 31337')
    assert.deepEqual(
      other.heard.filter((method) => method === 'eth_sendRawTransaction'),
      [],
    )
  } finally {
    await broker.stop()
    await first.close()
    await other.close()
  }
})

test('without a node there is none: no transfer is unmatched, and mints are simulated', async () => {
  const broker = await startBroker()
  try {
    await bought(broker, 'AAPL', '1')
    await completed(broker, await mint(broker, '1'))
    const { status, body } = await callAsOperator(
      broker,
      'GET',
      '/sim/v1/worlds/main/tokenization/unmatched-transfers',
    )
    assert.equal(status, 200)
    assert.deepEqual(body, [])
  } finally {
    await broker.stop()
  }
})

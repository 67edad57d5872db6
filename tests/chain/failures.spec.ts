import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { CallHandling, TestNode } from './node.ts'
import {
  audit,
  balanceOn,
  buyShares,
  contractOn,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  requests,
  send,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  waitForCompletion,
} from './stage.ts'

const jobs = async (broker: Parameters<typeof callAsOperator>[0]) =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/jobs')).body

test('a node that does not answer delays a mint and loses none', async () => {
  const node = await startNode()
  const broker = await startBrokerOn(node.url)
  try {
    await buyShares(broker, 'AAPL', '1')
    node.isUnavailable = true
    const id = await mint(broker, '1')
    const [job] = await waitUntil('the job has failed', async () => {
      const list = await jobs(broker)
      return list[0]?.problem ? list : undefined
    })
    assert.equal(job.kind, 'chain_mint')
    assert.equal(job.tokenization_request_id, id)
    // The URL of a node may have an API key, so no problem text has the URL.
    assert.doesNotMatch(job.problem, /127\.0\.0\.1/)
    node.isUnavailable = false
    await waitForCompletion(broker, id)
    assert.equal(await balanceOn(node, await contractOn(node), PARTICIPANT), 10n ** 18n)
    assert.deepEqual((await audit(broker)).problems, [])
    node.isUnavailable = true
    assert.deepEqual((await audit(broker)).problems, [
      'supply of AAPLx on ethereum is not known: the node responded to eth_call with status 503',
    ])
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('a data folder of one chain sends no transaction to another chain', async () => {
  const [first, other] = [await startNode(), await startNode({ chainId: 99 })]
  const folder = newFolder()
  let broker = await startBrokerOn(first.url, folder)
  try {
    await buyShares(broker, 'AAPL', '2')
    await waitForCompletion(broker, await mint(broker, '1'))
    await broker.stop()
    broker = await startBrokerOn(other.url, folder)
    await mint(broker, '1')
    const [job] = await waitUntil('the job has failed', async () => {
      const list = await jobs(broker)
      return list[0]?.problem ? list : undefined
    })
    assert.equal(job.problem, 'the node is on chain 99, but this data folder belongs to chain 31337')
    assert.deepEqual(
      other.methods.filter((method) => method === 'eth_sendRawTransaction'),
      [],
    )
  } finally {
    await broker.stop()
    await first.close()
    await other.close()
  }
})

test('without a node mints are simulated and no transfer is unmatched', async () => {
  const broker = await startBroker()
  try {
    await buyShares(broker, 'AAPL', '1')
    await waitForCompletion(broker, await mint(broker, '1'))
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

/** Sets the behaviour of the node for a method, and waits for its first call. */
function whenCalled(node: TestNode, method: string, handling: CallHandling): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  node.handling = (called) => {
    if (called !== method) return 'answer'
    resolve()
    return handling
  }
  return promise
}

const moments = [
  ['after the node accepted the transaction, before its response', 'eth_sendRawTransaction', 'loseResponse'],
  ['before the node received the transaction', 'eth_sendRawTransaction', 'drop'],
  ['while it requests the receipt', 'eth_getTransactionReceipt', 'drop'],
] as const

test('a broker that is killed mints once', async (t) => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await startBrokerOn(node.url, folder)
  try {
    await buyShares(broker, 'AAPL', '3')
    await waitForCompletion(broker, await mint(broker, '1'))
    const contract = await contractOn(node)
    let minted = ONE
    for (const [moment, method, handling] of casesOf(moments))
      await t.test(moment, async () => {
        const reached = whenCalled(node, method, handling)
        const id = await mint(broker, '0.5')
        await reached
        await broker.kill()
        node.handling = () => 'answer'
        broker = await startBrokerOn(node.url, folder)
        await waitForCompletion(broker, id)
        minted += ONE / 2n
        assert.equal(await balanceOn(node, contract, PARTICIPANT), minted)
        assert.equal(await supplyOn(node, contract), minted)
        assert.deepEqual((await audit(broker)).problems, [])
      })
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('tokens received while the broker was down are redeemed once and burned once', async () => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await startBrokerOn(node.url, folder)
  try {
    await buyShares(broker, 'AAPL', '2')
    await waitForCompletion(broker, await mint(broker, '2'))
    const contract = await contractOn(node)
    await broker.kill()
    await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units: ONE })
    const burning = whenCalled(node, 'eth_sendRawTransaction', 'loseResponse')
    broker = await startBrokerOn(node.url, folder)
    await burning
    await broker.kill()
    node.handling = () => 'answer'
    broker = await startBrokerOn(node.url, folder)
    await waitUntil('the tokens are burned', async () => (await supplyOn(node, contract)) === ONE)
    await waitUntil('the shares are returned', async () => (await shares(broker)) === '1')
    assert.equal((await requests(broker, 'redeem')).length, 1)
    assert.deepEqual((await audit(broker)).problems, [])
  } finally {
    await broker.stop()
    await node.close()
  }
})

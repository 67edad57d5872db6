import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOf } from '../../broker/src/chain/evm-calls.ts'
import { type Body, type Broker, call, callAsOperator, newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  audit,
  buyShares,
  contractOn,
  ISSUER_KEY,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  send,
  sendTransaction,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  waitForCompletion,
} from './stage.ts'

const jobs = async (broker: Broker): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/jobs')).body
const waitForFailedBurn = (broker: Broker, attempts: number): Promise<Body> =>
  waitUntil('a burn has failed', async () => (await jobs(broker)).find((job) => job.attempts >= attempts))

/** Mints a second token and returns its contract. */
async function mintSecondToken(broker: Broker, node: Awaited<ReturnType<typeof startNode>>): Promise<string> {
  const known = await contractOn(node)
  await buyShares(broker, 'TSLA', '1')
  const { body } = await call(broker, 'POST', '/v2/tokenization/mint', {
    underlying_symbol: 'TSLA',
    qty: '1',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: PARTICIPANT,
  })
  await waitForCompletion(broker, body.tokenization_request_id)
  const all = { fromBlock: '0x0', toBlock: 'latest', topics: [] }
  const logs = (await node.request('eth_getLogs', [all])) as readonly { address: string }[]
  return logs.find(({ address }) => address !== known)!.address
}

test('a failed burn is listed as a job, is retried, survives a crash, and does not delay other burns', async () => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await startBrokerOn(node.url, folder)
  try {
    await buyShares(broker, 'AAPL', '2')
    await waitForCompletion(broker, await mint(broker, '2'))
    const [stuck, other] = [await contractOn(node), await mintSecondToken(broker, node)]
    await broker.kill()
    await send(node, PARTICIPANT_KEY, stuck, { to: REDEMPTION_WALLET, units: ONE })
    await send(node, PARTICIPANT_KEY, other, { to: REDEMPTION_WALLET, units: ONE })
    const pause = (paused: bigint) =>
      sendTransaction(node, ISSUER_KEY, stuck, callOf('setPaused(bool)', [{ number: paused }]))
    await pause(1n)

    broker = await startBrokerOn(node.url, folder)
    const job = await waitForFailedBurn(broker, 1)
    const [redeem] = (
      await call(broker, 'GET', '/v2/tokenization/requests?underlying_symbol=AAPL&type=redeem')
    ).body
    assert.deepEqual(
      [job.kind, job.issuer, job.account_id, job.tokenization_request_id, job.parked],
      ['chain_burn', 'xstocks', broker.accountId, redeem.tokenization_request_id, false],
    )
    assert.match(job.problem, /^eth_estimateGas: execution reverted/)
    assert.ok(Date.parse(job.due_at) > Date.parse(redeem.created_at))
    assert.equal(await shares(broker), '1', 'the shares are returned')
    await waitUntil('the other token is burned', async () => (await supplyOn(node, other)) === 0n)
    assert.deepEqual((await audit(broker)).problems, [])

    await broker.kill()
    broker = await startBrokerOn(node.url, folder)
    await waitForFailedBurn(broker, job.attempts + 1)
    const { body } = await callAsOperator(
      broker,
      'GET',
      '/sim/v1/worlds/main/events?kind=chainFactsRecorded&limit=1000',
    )
    const burns = body.events.flatMap((event: Body) => event.event.facts.map(([, fact]: Body) => fact?.burn))
    assert.ok(
      burns.some((burn: Body) => burn?.problem === job.problem),
      'the journal has the problem',
    )

    await pause(0n)
    await waitUntil('the token is burned', async () => (await supplyOn(node, stuck)) === ONE)
    await waitUntil('no job is left', async () => (await jobs(broker)).length === 0)
    assert.deepEqual((await audit(broker)).problems, [])
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('the job of a burn names the error of an unavailable node', { skip: !hasAllCases }, async () => {
  const node = await startNode()
  const broker = await startBrokerOn(node.url)
  try {
    await buyShares(broker, 'AAPL', '1')
    await waitForCompletion(broker, await mint(broker, '1'))
    node.handling = (method) => {
      if (method === 'eth_estimateGas') node.isUnavailable = true
      return 'answer'
    }
    await send(node, PARTICIPANT_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE })
    const { kind, problem } = await waitForFailedBurn(broker, 2)
    assert.deepEqual([kind, problem], ['chain_burn', 'the node responded to eth_call with status 503'])
    node.handling = () => 'answer'
    node.isUnavailable = false
    await waitUntil('no job is left', async () => (await jobs(broker)).length === 0)
    assert.equal(await supplyOn(node, await contractOn(node)), 0n)
  } finally {
    await broker.stop()
    await node.close()
  }
})

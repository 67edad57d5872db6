import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOf } from '../../server/src/chain/evm-calls.ts'
import { type Body, type Broker, call, callAsOperator, newFolder } from '../broker.ts'
import {
  audit,
  bought,
  brokerOn,
  completed,
  contractOn,
  ISSUER_KEY,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  run,
  send,
  shares,
  startNode,
  supplyOn,
  until,
} from './stage.ts'

const jobs = async (broker: Broker): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/jobs')).body
const failedBurn = (broker: Broker, attempts: number): Promise<Body> =>
  until('a burn has failed', async () => (await jobs(broker)).find((job) => job.attempts >= attempts))

/** The other token on the chain. */
async function mintOther(broker: Broker, node: Awaited<ReturnType<typeof startNode>>): Promise<string> {
  const known = await contractOn(node)
  await bought(broker, 'TSLA', '1')
  const { body } = await call(broker, 'POST', '/v2/tokenization/mint', {
    underlying_symbol: 'TSLA',
    qty: '1',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: PARTICIPANT,
  })
  await completed(broker, body.tokenization_request_id)
  const all = { fromBlock: '0x0', toBlock: 'latest', topics: [] }
  const logs = (await node.request('eth_getLogs', [all])) as readonly { address: string }[]
  return logs.find(({ address }) => address !== known)!.address
}

test('a burn that fails is seen among the jobs, is tried again, survives a crash, and holds up no other', async () => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await brokerOn(node.url, folder)
  try {
    await bought(broker, 'AAPL', '2')
    await completed(broker, await mint(broker, '2'))
    const [stuck, other] = [await contractOn(node), await mintOther(broker, node)]
    await broker.kill()
    await send(node, PARTICIPANT_KEY, stuck, { to: REDEMPTION_WALLET, units: ONE })
    await send(node, PARTICIPANT_KEY, other, { to: REDEMPTION_WALLET, units: ONE })
    const pause = (paused: bigint) =>
      run(node, ISSUER_KEY, stuck, callOf('setPaused(bool)', [{ number: paused }]))
    await pause(1n)

    broker = await brokerOn(node.url, folder)
    const job = await failedBurn(broker, 1)
    const [redeem] = (
      await call(broker, 'GET', '/v2/tokenization/requests?underlying_symbol=AAPL&type=redeem')
    ).body
    assert.deepEqual(
      [job.kind, job.issuer, job.account_id, job.tokenization_request_id, job.parked],
      ['chain_burn', 'xstocks', broker.accountId, redeem.tokenization_request_id, false],
    )
    assert.match(job.problem, /^eth_estimateGas: execution reverted/)
    assert.ok(Date.parse(job.due_at) > Date.parse(redeem.created_at))
    assert.equal(await shares(broker), '1', 'the shares are back all the same')
    await until('the other is burned', async () => (await supplyOn(node, other)) === 0n)
    assert.deepEqual((await audit(broker)).problems, [])

    await broker.kill()
    broker = await brokerOn(node.url, folder)
    await failedBurn(broker, job.attempts + 1)
    const { body } = await callAsOperator(
      broker,
      'GET',
      '/sim/v1/worlds/main/events?kind=chainFactsRecorded&limit=1000',
    )
    const noted = body.events.flatMap((event: Body) => event.event.facts.map(([, fact]: Body) => fact?.burn))
    assert.ok(
      noted.some((burn: Body) => burn?.problem === job.problem),
      'the journal has it',
    )

    await pause(0n)
    await until('it is burned', async () => (await supplyOn(node, stuck)) === ONE)
    await until('no job is left', async () => (await jobs(broker)).length === 0)
    assert.deepEqual((await audit(broker)).problems, [])
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('a burn that a silent node holds up says so', async () => {
  const node = await startNode()
  const broker = await brokerOn(node.url)
  try {
    await bought(broker, 'AAPL', '1')
    await completed(broker, await mint(broker, '1'))
    node.fate = (method) => {
      if (method === 'eth_estimateGas') node.refuses = true
      return 'answer'
    }
    await send(node, PARTICIPANT_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE })
    const { kind, problem } = await failedBurn(broker, 2)
    assert.deepEqual([kind, problem], ['chain_burn', 'the node responded to eth_call with status 503'])
    node.fate = () => 'answer'
    node.refuses = false
    await until('no job is left', async () => (await jobs(broker)).length === 0)
    assert.equal(await supplyOn(node, await contractOn(node)), 0n)
  } finally {
    await broker.stop()
    await node.close()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasAllCases } from '../../support/cases.ts'
import { Random, seed } from '../../support/random.ts'
import { type CallResponse, call } from './calls.ts'
import { Clients } from './clients.ts'
import { SimulatedCluster } from './cluster.ts'
import { type FaultName, faults as kinds } from './faults.ts'
import { simulateCluster } from './run.ts'

const runs = Number(process.env['CLUSTER_RUNS'] ?? 1)
const faults = Number(process.env['FAULTS'] ?? (hasAllCases ? 8 : 3))

/** Only faults of these kinds, as a failed run prints them. */
const from = process.env['FAULT_KINDS']?.split(',').map((name) => {
  assert(Object.hasOwn(kinds, name), `FAULT_KINDS: expected ${Object.keys(kinds).join()}, received ${name}`)
  return name as FaultName
})

/** One run with its trace. */
if (process.env['FAULTS'])
  test(`one run of a cluster with ${faults} faults (SEED=${seed})`, async (t) => {
    const note = (line: string) => t.diagnostic(line)
    await simulateCluster({ seed, steps: faults, note, ...(from ? { from } : {}) })
  })
else
  for (let run = 0; run < runs; run++)
    test(`no run of a cluster breaks a guarantee (SEED=${seed}-${run} FAULTS=${faults})`, async (t) => {
      t.diagnostic(JSON.stringify(await simulateCluster({ seed: `${seed}-${run}`, steps: faults })))
    })

test('the same seed gives the same requests, responses and appends', async () => {
  const trace = async (): Promise<readonly string[]> => {
    const lines: string[] = []
    // Ids of requests and keys are random.
    const note = (line: string) => void lines.push(line.replace(/ request=\w+|"PK\w+…"/g, ''))
    await simulateCluster({ seed: `${seed}-replay`, steps: 1, note })
    return lines
  }
  const [once, again] = [await trace(), await trace()]
  assert(once.length > 100)
  assert.deepEqual(again, once)
})

test('a node that starts answers its first requests right', async () => {
  const random = new Random(seed)
  const cluster = new SimulatedCluster(random, () => undefined, 3)
  const [first, second, third] = cluster.nodes
  for (const node of [first, second]) await node!.start()
  const clients = new Clients({ cluster, random, note: () => undefined })
  const { world, key } = await clients.create('a')
  await clients.asOperator('POST', '/sim/v1/cluster/moves', { world, node: second!.url })
  const asked: Promise<CallResponse>[] = []
  let isStarting = true
  void third!.start().then(() => (isStarting = false))
  for (; isStarting; await cluster.sleep(1)) asked.push(call(third!.url, key, 'GET', '/v2/account'))
  const statuses = (await Promise.all(asked)).map((response) =>
    response.kind === 'closed' ? response.kind : response.status,
  )
  cluster.end()
  assert.deepEqual(new Set(statuses), new Set(['closed', 200]))
})

test('a node that starts after a crash has claimed its worlds', async () => {
  const cluster = new SimulatedCluster(new Random(seed), () => undefined, 1)
  const [node] = cluster.nodes
  await node!.start()
  const { holder } = cluster.tables.journals.get('main')!
  cluster.kill(node!)
  await cluster.sleep(4_000)
  await node!.start()
  assert.notEqual(cluster.tables.journals.get('main')!.holder, holder)
  cluster.end()
})

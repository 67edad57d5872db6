import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Client, createClient } from '../../sdk/src/index.ts'
import { type Broker, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { randomOutput, runFileOf, runRecord } from '../support/run-file.ts'
import { waitUntil } from '../support/wait-until.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { database, store, nodes } = await openDatabase('runs')
const limits = {
  QUIPU_RUNS_MAX: '6',
  QUIPU_RUN_FILE_MAX_BYTES: '4000000',
  QUIPU_RUNS_MAX_BYTES: '12000000',
  QUIPU_LARGE_BODY_BYTES_PER_MINUTE: '0',
}
nodes.push(await startNode(store, [], limits))
await untilHeld(nodes[0]!, 'main')
nodes.push(await startNode(store, [], limits))
const [one, two] = nodes as [Broker, Broker]

const operatorAt = ({ url, brokerKey, brokerSecret }: Broker): Client =>
  createClient({ url, keyId: brokerKey, secretKey: brokerSecret })
const idOf = (id: number) => ({ params: { run: runRecord(id).id } })
const numbersAt = async (node: Broker) => (await operatorAt(node).listRuns()).runs.map(({ number }) => number)
/** A file of two parts. */
const largeFile = (id: number): Uint8Array =>
  runFileOf(runRecord(id), ...Array.from({ length: 18 }, () => randomOutput(60_000)))
const inDatabase = async (): Promise<number> => {
  const [row] = await database.run('SELECT count(DISTINCT file) AS files FROM quipu_run_files', store)
  return Number(row?.['files'])
}

test('a node that does not hold main stores, lists, reads, pins and deletes runs; the oldest unpinned is deleted first', async () => {
  const client = operatorAt(two)
  const file = largeFile(1)
  assert.ok(file.length > 1_100_000, String(file.length))
  assert.equal((await client.storeRun({ body: file })).number, 1)
  for (const node of nodes)
    assert.deepEqual(Buffer.from(await operatorAt(node).getRunFile(idOf(1))), Buffer.from(file))
  assert.equal((await client.pinRun({ ...idOf(1), body: { pinned: true } })).pinned, true)
  for (const id of [2, 3, 4, 5, 6, 7]) await client.storeRun({ body: runFileOf(runRecord(id)) })
  for (const node of nodes) assert.deepEqual(await numbersAt(node), [7, 6, 5, 4, 3, 1])
  await client.deleteRun(idOf(3))
  for (const node of nodes) assert.deepEqual(await numbersAt(node), [7, 6, 5, 4, 1])
  await assert.rejects(client.storeRun({ body: new Uint8Array(4_100_000) }), /larger than 4000000 bytes/)
})

test('the command line works at the node that does not hold main', async () => {
  const env = { QUIPU_URL: two.url, QUIPU_BROKER_KEY: two.brokerKey, QUIPU_BROKER_SECRET: two.brokerSecret }
  const runs = async (...line: readonly string[]) => {
    const { code, stdout, stderr } = await command(['runs', ...line], { env })
    assert.equal(code, 0, stderr)
    return stdout
  }
  const folder = newFolder()
  const [file, page] = [join(folder, 'run.quipu-run'), join(folder, 'run.html')]
  assert.match(await runs('list'), /^7 +Passed +bot\.js/m)
  assert.match(await runs('show', '7'), /bot\.js/)
  assert.match(await runs('compare', '7', '6'), /program +bot\.js +bot\.js/)
  await runs('export', '7', file)
  await runs('export', '7', page, '--html')
  assert.ok(existsSync(page))
  await runs('pin', '6')
  await runs('delete', '7')
  assert.match(await runs('import', file), /run 8$/m)
  assert.deepEqual(await numbersAt(one), [8, 6, 5, 4, 1])
})

test('after a move of main, runs and their files are read and changed at both nodes', async () => {
  await moveTo(one, 'main', two)
  for (const node of nodes) {
    assert.deepEqual(await numbersAt(node), [8, 6, 5, 4, 1])
    assert.ok((await operatorAt(node).getRunFile(idOf(1))).length > 1_100_000)
  }
  await operatorAt(one).deleteRun(idOf(4))
  await operatorAt(one).storeRun({ body: runFileOf(runRecord(20)) })
  assert.deepEqual(await numbersAt(two), [9, 8, 6, 5, 1])
})

/** The bytes in the file of a listed run. On a busy machine a last upload may go on at this node, and delete the oldest run. */
async function bytesOf({ id, bytes }: { readonly id: string; readonly bytes: number }): Promise<number> {
  try {
    return (await operatorAt(one).getRunFile({ params: { run: id } })).length
  } catch (error) {
    const { runs } = await operatorAt(one).listRuns()
    if (runs.some((run) => run.id === id)) throw error
    return bytes
  }
}

test('a kill of the holder in the middle of uploads leaves no record without a file, and orphans are deleted', async () => {
  const client = operatorAt(two)
  const confirmed: string[] = []
  let isKilled = false
  const lane = async (first: number): Promise<void> => {
    for (let id = first; !isKilled; id += 3)
      await client.storeRun({ body: largeFile(id) }).then(
        (run) => confirmed.push(run.id),
        () => undefined,
      )
  }
  const lanes = [100, 101, 102].map(lane)
  await waitUntil('some runs are stored', () => Promise.resolve(confirmed.length > 2))
  await two.kill()
  isKilled = true
  await Promise.all(lanes)
  await untilHeld(one, 'main')
  const { runs } = await operatorAt(one).listRuns()
  assert.ok(runs.some(({ number }) => number === 1))
  assert.ok(runs.some(({ id }) => id === confirmed.at(-1)))
  for (const run of runs) assert.equal(await bytesOf(run), run.bytes)
  await database.run("UPDATE quipu_run_files SET stored_at = now() - interval '1 day'", store)
  await database.run("INSERT INTO quipu_run_files VALUES ('orphan', 0, now() - interval '1 day', 'x')", store)
  await operatorAt(one).storeRun({ body: runFileOf(runRecord(50)) })
  const left = (await operatorAt(one).listRuns()).runs.length
  await waitUntil('orphans are deleted', async () => (await inDatabase()) === left)
})

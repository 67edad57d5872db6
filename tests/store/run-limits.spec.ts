import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, createClient } from '../../sdk/src/index.ts'
import { startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { randomOutput, runFileOf, runRecord } from '../support/run-file.ts'

/** About 20 kB each. */
const fileOf = (id: number) => runFileOf(runRecord(id), randomOutput(10_000))
const one = (id: number) => ({ params: { run: runRecord(id).id } })
const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'stored',
    (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.message}` : String(error)),
  )

test('the oldest run that is not pinned goes when the bytes are used up, and is then named as not found everywhere', async () => {
  const size = fileOf(1).length
  const limits = [
    '--runs-max-bytes',
    String(Math.floor(size * 3.5)),
    '--run-file-max-bytes',
    String(size * 3),
  ]
  const broker = await startBroker(['--data', 'memory', ...limits])
  const { url, brokerKey, brokerSecret } = broker
  const operator = createClient({ url, keyId: brokerKey, secretKey: brokerSecret })
  for (const id of [1, 2, 3]) await operator.storeRun({ body: fileOf(id) })
  await operator.pinRun({ ...one(1), body: { pinned: true } })
  await operator.storeRun({ body: fileOf(4) })
  const numbers = async () => (await operator.listRuns()).runs.map(({ number }) => number)
  assert.deepEqual(await numbers(), [4, 3, 1])
  await operator.pinRun({ ...one(3), body: { pinned: true } })
  const medium = runFileOf(runRecord(8), randomOutput(10_000), randomOutput(10_000))
  assert.match(
    await refused(operator.storeRun({ body: medium })),
    /^403 there is no space for the run: .* pinned runs are not deleted/,
  )
  assert.deepEqual(await numbers(), [4, 3, 1])
  assert.match(await refused(operator.storeRun({ body: Buffer.alloc(size * 3 + 10_000) })), /^413 /)

  const { id } = runRecord(2)
  for (const work of [operator.getRun(one(2)), operator.getRunFile(one(2)), operator.deleteRun(one(2))])
    assert.equal(await refused(work), `404 run not found: ${id}`)
  assert.equal(
    await refused(operator.pinRun({ ...one(2), body: { pinned: true } })),
    `404 run not found: ${id}`,
  )
  const env = { QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret, QUIPU_URL: url }
  for (const line of [
    ['show', '2'],
    ['show', id],
    ['export', '2', '--html'],
    ['compare', '4', '2'],
    ['compare', id, '4'],
    ['pin', '2'],
    ['delete', '2'],
  ]) {
    const { code, stderr } = await command(['runs', ...line], { env })
    const name = line.includes(id) ? id : '2'
    assert.equal(code, 1, line.join(' '))
    assert.match(stderr, new RegExp(`no run ${name}; \`quipu runs list\` lists all`), line.join(' '))
  }
  // The space of a run that was deleted can be used again.
  await operator.deleteRun(one(4))
  assert.equal((await operator.storeRun({ body: fileOf(2) })).number, 5)
  await broker.stop()
})

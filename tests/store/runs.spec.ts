import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ApiError, type Client, createClient } from '../../sdk/src/index.ts'
import { programs, run } from '../run-command/run-process.ts'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'

const record = (id: number, fields: object = {}) => ({
  quipu_run: 1,
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  kind: 'run',
  program: 'bot.js',
  command: ['node', 'bot.js'],
  version: '0.1.0',
  seed: '1',
  hours: 'nyse',
  from: '2026-01-05T14:30:00Z',
  to: '2026-01-05T21:00:00Z',
  started_at: '2026-11-02T15:10:15Z',
  took_ms: 1,
  verdict: 'passed',
  reason: '',
  exit_code: 0,
  equity_at_start: 1,
  profit_loss: 0,
  max_drawdown: 0,
  orders: 0,
  fills: 0,
  requests: 0,
  refused: 0,
  faults_met: 0,
  faults_planned: 0,
  curve: [],
  is_cut: false,
  ...fields,
})

const fileOf = (first: object, ...lines: readonly object[]): Uint8Array => {
  const all = [first, ...lines, { part: 'end', lines: lines.length + 2 }]
  return gzipSync(all.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const operatorOf = ({ url, brokerKey, brokerSecret }: Broker): Client =>
  createClient({ url, keyId: brokerKey, secretKey: brokerSecret })

const status = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.message}` : error),
  )

test('runs of a server: list, get, file, pin, delete, limits and rights, over a restart and a crash', async () => {
  const data = newFolder()
  const flags = ['--data', data, '--runs-max', '3', '--run-file-max-bytes', '100000']
  let broker = await startBroker(flags)
  let operator = operatorOf(broker)
  for (const id of [1, 2, 3]) await operator.storeRun({ body: fileOf(record(id)) })
  const idOf = (number: number) => ({ params: { run: record(number).id } })
  assert.equal((await operator.pinRun({ ...idOf(1), body: { pinned: true } })).pinned, true)
  await operator.storeRun({ body: fileOf(record(4)) })
  const numbers = async () => (await operator.listRuns()).runs.map(({ number }) => number)
  assert.deepEqual(await numbers(), [4, 3, 1])
  assert.match(String(await status(operator.storeRun({ body: fileOf(record(4)) }))), /^409 .*stored already/)
  for (const [body, problem] of [
    [Buffer.from('x'), /^422 .*no gzip/],
    [fileOf({ ...record(9), seed: 5 }), /^422 .*seed: expected text/],
    [gzipSync(`${JSON.stringify(record(9))}\n`), /^422 .*its end is missing/],
    [gzipSync('x'.repeat(70_000)), /^422 .*first line has more than/],
    [fileOf({ ...record(9), quipu_run: 7 }), /^422 .*expected format 1, received 7/],
    [Buffer.alloc(150_000), /^413 /],
  ] as const)
    assert.match(String(await status(operator.storeRun({ body }))), problem)
  assert.deepEqual(await numbers(), [4, 3, 1])

  const [account] = await operator.listWorldAccounts({ params: { world: 'main' } })
  const key = await operator.createKey({ params: { world: 'main' }, body: { account_id: account!.id } })
  const owner = createClient({ url: broker.url, keyId: key.key_id, secretKey: key.secret_key! })
  assert.deepEqual((await owner.listRuns()).runs, [])
  assert.match(String(await status(owner.getRun(idOf(1)))), /^404/)
  assert.match(String(await status(owner.getRunFile(idOf(1)))), /^404/)
  assert.match(String(await status(owner.deleteRun(idOf(1)))), /^404/)
  await owner.storeRun({ body: fileOf(record(5)) })
  assert.deepEqual(
    (await owner.listRuns()).runs.map(({ id }) => id),
    [record(5).id],
  )
  assert.deepEqual(await numbers(), [5, 4, 1])
  const other = await operator.createWorld({ body: {} })
  const { key_id: keyId, secret_key: secretKey } = other.accounts[0]!
  const stranger = createClient({ url: broker.url, keyId, secretKey })
  assert.match(String(await status(stranger.listRuns())), /^403/)

  const { entries } = await operator.listAuditLog({
    params: { world: 'main' },
    query: { operation: 'pinRun' },
  })
  assert.equal(entries.length, 1)

  await broker.kill()
  broker = await startBroker(flags)
  operator = operatorOf(broker)
  assert.deepEqual(await numbers(), [5, 4, 1])
  assert.deepEqual(Buffer.from(await operator.getRunFile(idOf(4))), Buffer.from(fileOf(record(4))))
  await operator.deleteRun(idOf(4))
  assert.match(String(await status(operator.getRunFile(idOf(4)))), /^404/)
  assert.deepEqual(
    readdirSync(join(data, 'runs')).filter((name) => name.includes('000000000004')),
    [],
  )
  await broker.stop()
})

test('a run that has begun is listed as running, and its end replaces it', async () => {
  const broker = await startBroker()
  const operator = operatorOf(broker)
  const begun = await operator.storeRun({ body: fileOf(record(1, { verdict: 'running' })) })
  assert.equal(begun.verdict, 'running')
  const ended = await operator.storeRun({ body: fileOf(record(1)) })
  assert.deepEqual([ended.number, ended.verdict], [1, 'passed'])
  assert.equal((await operator.listRuns()).runs.length, 1)
  await broker.stop()
})

test('a kill between file and record leaves no run', async () => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  const operator = operatorOf(broker)
  // Many uploads, and a kill in the middle of them.
  const uploads = Array.from({ length: 40 }, (_, index) =>
    operator.storeRun({ body: fileOf(record(index + 1), { part: 'output', text: 'x'.repeat(1000) }) }).then(
      ({ id }) => id,
      () => undefined,
    ),
  )
  await Promise.any(uploads)
  await broker.kill()
  const confirmed = (await Promise.all(uploads)).filter((id) => id !== undefined)
  const again = await startBroker(['--data', data])
  const client = operatorOf(again)
  const { runs } = await client.listRuns()
  for (const id of confirmed) assert.ok(runs.some((one) => one.id === id))
  for (const { id } of runs) assert.ok((await client.getRunFile({ params: { run: id } })).length > 0)
  await again.stop()
})

test('quipu run stores its run on the server of --url', async () => {
  const broker = await startBroker()
  const folder = newFolder()
  const env = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
  const command = [process.execPath, join(programs, 'orders.mjs')]
  const { stderr } = await run(['--url', broker.url, '--runs', folder], command, { env })
  assert.match(stderr, /run 1 on the server/)
  const operator = operatorOf(broker)
  const [stored] = (await operator.listRuns()).runs
  assert.deepEqual([stored?.program, stored?.verdict, stored?.number], ['orders.mjs', 'passed', 1])
  const local = readFileSync(join(folder, readdirSync(folder)[0]!))
  const { readRun } = await import('../../sdk/src/runs/index.ts')
  const remote = await operator.getRunFile({ params: { run: stored!.id } })
  assert.deepEqual(await readRun(remote), await readRun(local))
  const missing = await run(['--url', broker.url, '--runs', folder], ['true'], { env })
  assert.equal(missing.code, 70)
  assert.equal((await operator.listRuns()).runs.length, 1)
  await broker.stop()
})

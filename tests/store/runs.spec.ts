import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ApiError, type Client, createClient } from '../../sdk/src/index.ts'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { raise } from '../../server/src/http/oauth/testing/session.ts'
import { programs, run } from '../run-command/run-process.ts'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { randomOutput, runFileOf, runRecord } from '../support/run-file.ts'
import { newUser, PASSWORD, sessionToken } from '../worlds/people.ts'
import { cluster } from './postgres-store.ts'

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
  for (const id of [1, 2, 3]) await operator.storeRun({ body: runFileOf(runRecord(id)) })
  const idOf = (number: number) => ({ params: { run: runRecord(number).id } })
  assert.equal((await operator.pinRun({ ...idOf(1), body: { pinned: true } })).pinned, true)
  await operator.storeRun({ body: runFileOf(runRecord(4)) })
  const numbers = async () => (await operator.listRuns()).runs.map(({ number }) => number)
  assert.deepEqual(await numbers(), [4, 3, 1])
  assert.match(
    String(await status(operator.storeRun({ body: runFileOf(runRecord(4)) }))),
    /^409 .*stored already/,
  )
  for (const [body, problem] of [
    [Buffer.from('x'), /^422 .*no gzip/],
    [runFileOf({ ...runRecord(9), seed: 5 }), /^422 .*seed: expected text/],
    [gzipSync(`${JSON.stringify(runRecord(9))}\n`), /^422 .*its end is missing/],
    [gzipSync('x'.repeat(70_000)), /^422 .*first line has more than/],
    [runFileOf({ ...runRecord(9), quipu_run: 7 }), /^422 .*expected format 1, received 7/],
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
  await owner.storeRun({ body: runFileOf(runRecord(5)) })
  assert.deepEqual(
    (await owner.listRuns()).runs.map(({ id }) => id),
    [runRecord(5).id],
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
  assert.deepEqual(Buffer.from(await operator.getRunFile(idOf(4))), Buffer.from(runFileOf(runRecord(4))))
  await operator.deleteRun(idOf(4))
  assert.match(String(await status(operator.getRunFile(idOf(4)))), /^404/)
  assert.equal(readdirSync(join(data, 'runs')).length, 2)
  rmSync(join(data, 'runs'), { recursive: true })
  assert.match(
    String(await status(operator.getRunFile(idOf(5)))),
    /^404 the file of run .* is not on this server/,
  )
  await broker.stop()
})

test('a run that has begun is listed as running, and its end replaces it', async () => {
  const broker = await startBroker()
  const operator = operatorOf(broker)
  const begun = await operator.storeRun({ body: runFileOf(runRecord(1, { verdict: 'running' })) })
  assert.equal(begun.verdict, 'running')
  const ended = await operator.storeRun({ body: runFileOf(runRecord(1)) })
  assert.deepEqual([ended.number, ended.verdict], [1, 'passed'])
  assert.equal((await operator.listRuns()).runs.length, 1)
  await broker.stop()
})

test('operators and auditors read all runs, and a person who was demoted still has her own', async () => {
  const broker = await startBroker()
  const operator = operatorOf(broker)
  const ada = await newUser(broker, 'main', { name: 'ada', operator: true })
  let browser = new Browser(broker)
  const signIn = async (): Promise<void> => {
    browser = new Browser(broker)
    const fields = { name: 'ada', password: PASSWORD }
    await browser.submit(await browser.get('/oauth/sign-in'), '/oauth/sign-in', fields)
  }
  await signIn()
  await raise(browser, PASSWORD)
  const clientFor = async (fields: object): Promise<Client> => {
    const { body } = await sessionToken(broker.url, browser, fields)
    return createClient({ url: broker.url, accessToken: () => Promise.resolve(body.access_token) })
  }
  await (await clientFor({ operator: true })).storeRun({ body: runFileOf(runRecord(1)) })
  await operator.storeRun({ body: runFileOf(runRecord(2)) })
  const numbers = async (client: Client) => (await client.listRuns()).runs.map(({ number }) => number)
  assert.deepEqual(await numbers(await clientFor({ operator: true })), [2, 1])
  const key = await operator.createKey({ params: { world: 'main' }, body: { kind: 'auditor' } })
  const auditor = createClient({ url: broker.url, keyId: key.key_id, secretKey: key.secret_key! })
  assert.deepEqual(await numbers(auditor), [2, 1])
  assert.ok((await auditor.getRunFile({ params: { run: runRecord(1).id } })).length > 0)
  const one = { params: { run: runRecord(1).id } }
  for (const work of [
    auditor.deleteRun(one),
    auditor.pinRun({ ...one, body: { pinned: true } }),
    auditor.storeRun({ body: runFileOf(runRecord(3)) }),
  ])
    assert.match(String(await status(work)), /^403/)
  await operator.changeUser({ params: { world: 'main', user: ada.user_id }, body: { operator: false } })
  await signIn()
  const demoted = await clientFor({ account_id: ada.accounts[0].account_id })
  assert.deepEqual(await numbers(demoted), [1])
  assert.match(String(await status(demoted.getRun({ params: { run: runRecord(2).id } }))), /^404/)
  await demoted.deleteRun(one)
  await broker.stop()
})

test('a backup has the files of runs, into PostgreSQL and out of it, and verify finds a changed one', async () => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  const file = runFileOf(runRecord(1), randomOutput(60_000))
  await operatorOf(broker).storeRun({ body: file })
  await operatorOf(broker).storeRun({ body: runFileOf(runRecord(2)) })
  await broker.stop()
  const parent = newFolder()
  const [first, second, restored] = ['first', 'second', 'restored'].map((name) => join(parent, name)) as [
    ...[string, string, string],
  ]
  const store = async (url: string | undefined, ...line: readonly string[]) => {
    const env = url === undefined ? {} : { QUIPU_STORE: url }
    const { code, stderr } = await command(['store', ...line], { env })
    return code === 0 ? 'ok' : stderr
  }
  assert.equal(await store(undefined, 'backup', first, '--with-credentials', '--data', data), 'ok')
  const url = await cluster.database('runs_of_backup')
  assert.equal(await store(url, 'restore', first, '--data', newFolder()), 'ok')
  assert.equal(await store(url, 'backup', second), 'ok')
  assert.equal(await store(undefined, 'verify', second), 'ok')
  assert.equal(await store(undefined, 'restore', second, '--data', restored), 'ok')
  cpSync(join(data, 'credentials.json'), join(restored, 'credentials.json'))
  const again = await startBroker(['--data', restored])
  const operator = createClient({ url: again.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret })
  assert.equal((await operator.listRuns()).runs.length, 2)
  assert.deepEqual(
    Buffer.from(await operator.getRunFile({ params: { run: runRecord(1).id } })),
    Buffer.from(file),
  )
  await again.stop()
  const [stored] = readdirSync(join(first, 'runs'))
  writeFileSync(join(first, 'runs', stored!), 'other')
  assert.match(
    await store(undefined, 'verify', first),
    /the files of its runs are 2 files with .*, expected 2 files/,
  )
  rmSync(join(second, 'runs'), { recursive: true })
  assert.match(await store(undefined, 'verify', second), /the files of its runs are no files, expected 2/)
})

test('a kill between file and record leaves no run', async () => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  const operator = operatorOf(broker)
  // Many uploads, and a kill in the middle of them.
  const uploads = Array.from({ length: 40 }, (_, index) =>
    operator
      .storeRun({ body: runFileOf(runRecord(index + 1), { part: 'output', text: 'x'.repeat(1000) }) })
      .then(
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
  // Files without a record are gone after the start.
  assert.equal(readdirSync(join(data, 'runs')).length, runs.length)
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

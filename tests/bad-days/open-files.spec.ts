import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { newFolder, plainEnvironment, type Started } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { waitUntil } from '../support/wait-until.ts'

const FILES_MAX = 128
const STRANGERS = 250

/** Starts a broker that may open so many files. Each SIGUSR2 makes its next sync fail. */
function startWith(files: number, folder: string): ChildProcessByStdio<null, Readable, Readable> {
  const start = `umask 000; ulimit -n ${files}; exec "$0" "${program}" start --json --port 0 --data "${folder}"`
  return spawn('sh', ['-c', start, process.execPath], {
    env: plainEnvironment({ NODE_OPTIONS: `--import ${join(import.meta.dirname, 'fail-sync.child.ts')}` }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

for (const files of [64, 99])
  test(`a broker does not start with at most ${files} open files`, async (t) => {
    const folder = newFolder()
    const child = startWith(files, folder)
    t.after(() => child.kill('SIGKILL'))
    const [text, [code]] = await Promise.all([
      child.stderr.setEncoding('utf8').toArray(),
      once(child, 'exit'),
    ])
    assert.equal(code, 2)
    assert.match(
      text.join(''),
      new RegExp(`may open ${files} files, expected at least 100: .*ulimit -n 65536`),
    )
    assert.deepEqual(readdirSync(folder), [])
  })

test(`with at most ${FILES_MAX} open files, ${STRANGERS} idle connections leave enough for journal, query tables and a rebuild; only the owner can read the files`, async (t) => {
  const folder = newFolder()
  const child = startWith(FILES_MAX, folder)
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const broker = JSON.parse(line) as Started
  // Two connections are open before the flood. The broker closes one of them when the sync fails.
  const [agent, other] = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 })) as [Agent, Agent]
  t.after(() => {
    for (const one of [agent, other]) one.destroy()
  })
  for (const one of [agent, other]) assert.equal(await statusOf(broker, one, 'GET', '/v2/account'), 200)

  const idle = await Promise.all(Array.from({ length: STRANGERS }, () => dial(broker)))
  t.after(() => {
    for (const socket of idle) socket.destroy()
  })
  const order = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    time_in_force: 'gtc',
    limit_price: '1',
  }
  assert.equal(await statusOf(broker, agent, 'POST', '/v2/orders', order), 200)
  assert.equal(await statusOf(broker, agent, 'GET', '/v2/orders?status=all'), 200)
  // This request opens a file of the journal.
  assert.equal(
    await statusOf(broker, agent, 'GET', '/sim/v1/worlds/main/events?limit=1', undefined, true),
    200,
  )
  assert.match(log, /limit on open files/)
  assert.doesNotMatch(log, /EMFILE|world failed/)

  child.kill('SIGUSR2')
  await waitUntil('the disk is about to fail', () => log.includes('the next sync fails'))
  await assert.rejects(statusOf(broker, other, 'POST', '/v2/orders', order), 'expected no response')
  assert.match(log, /world failed/)
  await waitUntil('main is rebuilt', async () => (await statusOf(broker, agent, 'GET', '/readyz')) === 200)
  assert.equal(await statusOf(broker, agent, 'POST', '/v2/orders', order), 200)
  assert.equal(await statusOf(broker, agent, 'GET', '/v2/orders?status=all'), 200)
  assert.doesNotMatch(log, /EMFILE/)

  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null], log)
  const open = readdirSync(folder, { recursive: true }).filter(
    (name) => (statSync(join(folder, String(name))).mode & 0o077) !== 0,
  )
  assert.deepEqual(open, [])
})

async function dial({ url }: Started): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

async function statusOf(
  { url, keyId, secretKey, brokerKey, brokerSecret }: Started,
  agent: Agent,
  method: string,
  path: string,
  body?: object,
  asOperator = false,
): Promise<number | undefined> {
  const headers = {
    'APCA-API-KEY-ID': asOperator ? brokerKey : keyId,
    'APCA-API-SECRET-KEY': asOperator ? brokerSecret : secretKey,
  }
  const outgoing = request(`${url}${path}`, { method, agent, headers })
  outgoing.end(body && JSON.stringify(body))
  const [response] = await once(outgoing, 'response')
  await response.resume().toArray()
  return response.statusCode
}

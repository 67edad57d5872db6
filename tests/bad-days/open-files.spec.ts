import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { newFolder, plainEnvironment, type Started } from '../broker.ts'
import { program } from '../program.ts'

const FILES_MAX = 120

test(`with at most ${FILES_MAX} open files, idle connections leave enough for journal and views; only the owner can read the files`, async (t) => {
  const folder = newFolder()
  const start = `umask 000; ulimit -n ${FILES_MAX}; exec "$0" "${program}" start --json --port 0 --data "${folder}"`
  const child = spawn('sh', ['-c', start, process.execPath], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const broker = JSON.parse(line) as Started
  // One connection is open before the flood and stays open.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  assert.equal(await statusOf(broker, agent, 'GET', '/v2/account'), 200)

  const idle = await Promise.all(Array.from({ length: 3 * FILES_MAX }, () => dial(broker)))
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

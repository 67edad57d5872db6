import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { broker } from '../support/shared-broker.ts'
import { run } from './run-process.ts'

/** A signal before or after the program does not leave a key behind. */

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
const headers = `{ 'APCA-API-KEY-ID': 'PKANY', 'APCA-API-SECRET-KEY': 'any' }`
const program = `fetch('https://paper-api.alpaca.markets/v2/account', { headers: ${headers} }).then(() => process.exit(7))`

/** Runs the program through a proxy that sends SIGTERM to `quipu run` before it forwards the first such request. */
async function runAndEnd(t: TestContext, isMoment: (request: string) => boolean) {
  const seen: string[] = []
  let pid: number | undefined
  const proxy = createServer(async (request, response) => {
    const name = `${request.method} ${request.url}`
    if (!seen.some(isMoment) && isMoment(name)) process.kill(pid!, 'SIGTERM')
    seen.push(name)
    const { host: _, connection: __, ...sent } = request.headers
    const body = Buffer.from(await new Response(Readable.toWeb(request) as ReadableStream).arrayBuffer())
    const answer = await fetch(broker.url + request.url, {
      method: request.method!,
      headers: sent as Record<string, string>,
      body: body.length > 0 ? body : null,
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  t.after(() => proxy.closeAllConnections())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { code, stderr } = await run(['--url', url], [process.execPath, '-e', program], {
    env: operator,
    timeoutMs: 30_000,
    onSpawn: (of) => {
      pid = of
    },
  })
  const count = (pattern: RegExp): number => seen.filter((name) => pattern.test(name)).length
  return { code, stderr, keys: [count(/^POST \/sim.*\/keys$/), count(/^DELETE \/sim.*\/keys\//)] }
}

test('a signal while a run is prepared: the program does not start, and the key is deleted', async (t) => {
  const { code, stderr, keys } = await runAndEnd(t, (name) => /^POST \/sim.*\/keys$/.test(name))
  assert.equal(code, 143, stderr)
  assert.deepEqual(keys, [1, 1])
  assert.match(stderr, /interrupted before the program started/)
})

test('a signal after the program: its exit code stays, and the key is deleted', async (t) => {
  const { code, stderr, keys } = await runAndEnd(t, (name) => name.startsWith('DELETE '))
  assert.equal(code, 7, stderr)
  assert.deepEqual(keys, [1, 1])
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { ConfigError } from '../config/config.ts'
import { checkNode } from './check-node.ts'

async function startServer(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const check = (address: string, ...others: readonly string[]) =>
  checkNode({ name: 'this', secret: 'any', address }, others)

const [mine, other, page, strange, nowhere] = [
  await startServer(200, '{"name":"this"}'),
  await startServer(200, '{"name":"another"}'),
  await startServer(404, '<html>Not Found</html>'),
  await startServer(403, '{"message":"forbidden"}'),
  'http://127.0.0.1:1',
]

test('a node whose URL leads to itself starts, also if others do not answer', async () => {
  assert.equal(await check(mine, other, page, nowhere), undefined)
})

test('a URL that this machine cannot use gives a warning', async () => {
  assert.match(
    (await check(nowhere))!,
    /^other nodes may not reach this one: node http:\/\/127\.0\.0\.1:1 did/,
  )
})

for (const [what, problem, ...urls] of [
  ['its URL leads to another node', `QUIPU_NODE_URL: ${other} leads to node another; each node`, other],
  ['its URL leads to another program', `QUIPU_NODE_URL: ${page} leads to another server: `, page],
  ['another node has another secret', `node ${strange} has another QUIPU_CLUSTER_SECRET`, mine, strange],
] as const)
  test(`a node does not start if ${what}`, async () => {
    const [address, ...others] = urls
    const isProblem = (error: Error) => error instanceof ConfigError && error.message.startsWith(problem)
    await assert.rejects(check(address, ...others), isProblem)
  })

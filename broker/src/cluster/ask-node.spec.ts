import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { askNode, NotMoved } from './ask-node.ts'

async function startServer(status: number, body: string, headers = {}) {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, requests: () => requests }
}

const ask = (address: string) =>
  askNode({ address, secret: 'any', timeoutMs: 5_000 }, 'prepare', { world: 'friday' as WorldId })

const cases = [
  // status, body, problem
  [409, '{"message":"friday is being moved already"}', 'friday is being moved already'],
  [502, '<html>Bad Gateway</html>', 'node ADDRESS answered 502'],
  [200, '<html>Hello</html>', 'node ADDRESS answered 200 without JSON'],
  [500, 'null', 'node ADDRESS answered 500'],
] as const
for (const [status, body, problem] of cases)
  test(`a node that answers ${status} ${body}: ${problem}`, async () => {
    const { address } = await startServer(status, body)
    await assert.rejects(ask(address), new NotMoved(problem.replace('ADDRESS', address)))
  })

test('the secret does not follow a redirect to another server', async () => {
  const other = await startServer(200, '{}')
  const { address } = await startServer(307, '', { Location: other.address })
  await assert.rejects(ask(address), NotMoved)
  assert.equal(other.requests(), 0)
})

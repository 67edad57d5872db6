import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { askNode, NotMoved } from './ask-node.ts'

const cases = [
  // status, body, problem
  [409, '{"message":"friday is being moved already"}', 'friday is being moved already'],
  [502, '<html>Bad Gateway</html>', 'node ADDRESS answered 502'],
  [200, '<html>Hello</html>', 'node ADDRESS answered 200 without JSON'],
  [500, 'null', 'node ADDRESS answered 500'],
] as const
for (const [status, body, problem] of cases)
  test(`a node that answers ${status} ${body}: ${problem}`, async () => {
    const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const asking = { address, secret: 'any', timeoutMs: 5_000 }
    await assert.rejects(
      askNode(asking, 'prepare', { world: 'friday' as WorldId }),
      new NotMoved(problem.replace('ADDRESS', address)),
    )
    server.close()
  })

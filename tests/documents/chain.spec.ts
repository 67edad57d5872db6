import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { TestNode } from '../chain/node.ts'
import { sendTransaction, walletOf } from '../chain/stage.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu, withQuipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const guide = readFileSync(join(root, 'docs', 'guides', 'chain.md'), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)

/** The first two default keys of anvil; the guide uses the first key and the wallet of the second. */
const keys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
] as const

/** A node that signs transactions for its own accounts, like anvil. */
async function openNode() {
  const node = await TestNode.start(keys.map(walletOf))
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as Call
    const [{ from, to, data } = {}] = params
    const key = keys.find((one) => walletOf(one) === from?.toLowerCase())
    const result =
      method === 'eth_sendTransaction' && key
        ? await sendTransaction(node, key, to, data ?? '0x')
        : await node.request(method, params)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await node.close()
    },
  }
}
type Call = {
  readonly id: number
  readonly method: string
  readonly params: readonly { readonly from?: string; readonly to?: string; readonly data?: string }[]
}

test('the commands of the guide, run in one shell, mint and redeem on a chain', async (t) => {
  const node = await openNode()
  const folder = newFolder()
  t.after(async () => {
    await command(['stop', '--data', folder])
    await node.close()
  })
  // anvil may be missing on this machine: the test node replaces it.
  const bin = newFolder()
  writeFileSync(join(bin, 'anvil'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
  assert.equal(blocks.length, 4)
  const marked = blocks.map((block) => `${block}\necho; echo =====`).join('\n')
  const shell = spawn('sh', ['-ec', withQuipu(marked)], {
    cwd: root,
    env: plainEnvironment({
      QUIPU_DATA: folder,
      QUIPU_PORT: '0',
      CHAIN: node.url,
      PATH: `${bin}:${pathWithQuipu}`,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await text(shell.stdout)
  if (shell.exitCode === null) await once(shell, 'exit')
  assert.equal(shell.exitCode, 0, output)
  const [, minted = '', looked = '', redeemed = ''] = output.split('=====\n')
  assert.match(minted, /"status":"completed"/)
  assert.match(looked, /"result":"0x0+de0b6b3a7640000"/)
  assert.match(redeemed, /"type":"redeem"[\s\S]*xstocks keeps 0\.5 AAPL/)
})

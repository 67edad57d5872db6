import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { ChainNode } from './node.ts'

/** The path of anvil on this machine, if it is installed. */
export function anvilPath(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'anvil')
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  return undefined
}

/** Starts anvil of Foundry with a balance for each of these addresses. */
export async function startAnvil(path: string, funded: readonly string[]): Promise<ChainNode> {
  const port = await freePort()
  const child = spawn(path, ['--port', String(port), '--silent'], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
  await waitUntil('the node answers', () => request('eth_chainId', []).catch(() => undefined))
  for (const address of funded) await request('anvil_setBalance', [address, `0x${(10n ** 24n).toString(16)}`])
  return {
    url,
    request,
    close: async () => {
      child.kill('SIGKILL')
    },
  }
}

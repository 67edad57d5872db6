/** The node returned an error. */
export class NodeRefused extends Error {
  override readonly name = 'NodeRefused'
}

/** A JSON-RPC call; quantities are hex strings. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>

const TIMEOUT_MS = 15_000

/** A JSON-RPC client. Node URLs often contain keys, so no error message names the URL. */
export function rpcAt(url: string): Rpc {
  let calls = 0
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++calls, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      throw new Error(`the node does not respond to ${method}: ${error.name}`)
    })
    const reply = (await response.json().catch(() => ({}))) as Reply
    if (reply.error) throw new NodeRefused(`${method}: ${String(reply.error.message).slice(0, 120)}`)
    if (!response.ok || !('result' in reply))
      throw new Error(`the node responded to ${method} with status ${response.status}`)
    return reply.result
  }
}

type Reply = { readonly result?: unknown; readonly error?: { readonly message?: unknown } }

export const hexOf = (value: bigint): string => `0x${value.toString(16)}`

/** Parses a quantity. */
export const numberIn = (value: unknown): bigint =>
  typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : refuseValue(value)

function refuseValue(value: unknown): never {
  throw new Error(`expected a hex quantity from the node, received ${JSON.stringify(value)?.slice(0, 60)}`)
}

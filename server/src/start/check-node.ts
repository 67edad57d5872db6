import { askNode, NodeUnreachable, SecretRefused } from '@quipu/broker/cluster/ask-node.ts'
import { errorMessage, fieldsIn } from '@quipu/core/values'
import { ConfigError } from '../config/config.ts'

const RESPONSE_MS = 2_000

export type CheckedNode = { readonly name: string; readonly address: string; readonly secret: string }

/**
 * Fails if a running node has another secret, or if the URL of this node leads to another server. Returns a warning if
 * the URL leads nowhere: perhaps only this machine cannot use it.
 */
export async function checkNode(
  { name, address, secret }: CheckedNode,
  others: readonly string[],
): Promise<string | undefined> {
  const nameAt = async (url: string): Promise<unknown> => {
    const response = await askNode({ address: url, secret, timeoutMs: RESPONSE_MS }, 'name', {})
    return fieldsIn(response)['name']
  }
  const refused = await Promise.all(others.map((url) => nameAt(url).catch((error: unknown) => error)))
  for (const error of refused) if (error instanceof SecretRefused) throw new ConfigError(error.message)
  try {
    const found = await nameAt(address)
    if (found === name) return undefined
    throw new ConfigError(
      `QUIPU_NODE_URL: ${address} leads to node ${found}; each node needs a URL of its own`,
    )
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const message = errorMessage(error)
    if (error instanceof NodeUnreachable) return `other nodes may not reach this one: ${message}`
    throw new ConfigError(`QUIPU_NODE_URL: ${address} leads to another server: ${message}`)
  }
}

import type { NamedFact, TokenFact } from '@quipu/core'
import type { ChainMint } from './chain.ts'
import { callOf, MINTED, wordOf } from './evm-calls.ts'
import type { EvmRecords } from './evm-records.ts'
import { numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'
import { type EvmTokens, unitsOf } from './evm-tokens.ts'

export type EvmParts = {
  readonly rpc: Rpc
  readonly sender: EvmSender
  readonly tokens: EvmTokens
  readonly connect: (records: EvmRecords) => Promise<void>
}

/**
 * Mints once per request. Our contract accepts each id once, so it reports an earlier mint even if no fact was stored.
 * For other contracts, the signed transaction is stored before it is sent, and looked up by its hash.
 */
export async function mintOn(
  parts: EvmParts,
  records: EvmRecords,
  mint: ChainMint,
): Promise<{ txHash: string }> {
  await parts.connect(records)
  const token = await parts.tokens.of(records, mint.tokenSymbol)
  const id = { bytes32: records.idOf(mint.requestId) }
  const about = `mint/${mint.requestId}`
  if (token.isQuipuToken && !records.sent(about)) {
    const earlier = await mintedBefore(parts, token, id.bytes32)
    if (earlier) return { txHash: earlier }
  }
  const to = { address: mint.wallet }
  const amount = { number: unitsOf(mint.quantity, token) }
  const data = token.isQuipuToken
    ? callOf('mint(address,uint256,bytes32)', [to, amount, id])
    : callOf('mint(address,uint256)', [to, amount])
  const { transactionHash } = await parts.sender.once(records, about, { to: token.address, data }, () =>
    ownership(records, mint),
  )
  return { txHash: transactionHash }
}

/** The transaction that used an id, if any. */
async function mintedBefore(parts: EvmParts, token: TokenFact, id: string): Promise<string | undefined> {
  if (!(await isUsed(parts, token, id))) return undefined
  const { address } = token
  const logs = (await parts.rpc('eth_getLogs', [
    { address, fromBlock: '0x0', toBlock: 'latest', topics: [MINTED, id] },
  ])) as readonly { readonly transactionHash: string }[]
  if (!logs[0])
    throw new Error(`the contract ${address} has used the id ${id}, but the node has no log of it`)
  return logs[0].transactionHash
}

/** A wallet belongs to the account that minted to it. */
function ownership(records: EvmRecords, { requestId, wallet }: ChainMint): readonly NamedFact[] {
  const request = records.view.requests.get(requestId)
  if (!request) return []
  const { issuer, accountId } = request
  const known = records.ownerOf(issuer, wallet)
  if (known?.accountId === accountId) return []
  return [[records.names.wallet(issuer, wallet), known ? { fact: 'wallet' } : { fact: 'wallet', accountId }]]
}

/** The total supply of one of our contracts. */
export const supplyOf = async ({ tokens }: EvmParts, { address }: TokenFact): Promise<bigint> =>
  numberIn(await tokens.call(address, callOf('totalSupply()')))

export const isUsed = async ({ tokens }: EvmParts, { address }: TokenFact, id: string): Promise<boolean> =>
  numberIn(await tokens.call(address, callOf('isUsed(bytes32)', [{ bytes32: id }]))) === 1n

export const topicOfAddress = (address: string): string => `0x${wordOf({ address })}`

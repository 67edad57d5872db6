import type { NamedFact, TokenFact } from '@quipu/core'
import type { ChainMint } from './chain.ts'
import type { EvmBook } from './evm-book.ts'
import { callOf, MINTED, wordOf } from './evm-calls.ts'
import type { Meet } from './evm-meet.ts'
import { numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'
import { type EvmTokens, unitsOf } from './evm-tokens.ts'

export type EvmParts = {
  readonly rpc: Rpc
  readonly sender: EvmSender
  readonly tokens: EvmTokens
  readonly meet: Meet
}

/**
 * Mints once per request. Our contract takes each id once, and so tells of an earlier mint even where nothing was
 * written down; any other is asked for by the transaction that was written down before it was sent.
 */
export async function mintOn(parts: EvmParts, book: EvmBook, mint: ChainMint): Promise<{ txHash: string }> {
  await parts.meet(book)
  const token = await parts.tokens.of(book, mint.tokenSymbol)
  const id = { bytes32: book.idOf(mint.requestId) }
  const about = `mint/${mint.requestId}`
  if (token.ours && !book.sent(about)) {
    const earlier = await mintedBefore(parts, token, id.bytes32)
    if (earlier) return { txHash: earlier }
  }
  const to = { address: mint.wallet }
  const amount = { number: unitsOf(mint.quantity, token) }
  const data = token.ours
    ? callOf('mint(address,uint256,bytes32)', [to, amount, id])
    : callOf('mint(address,uint256)', [to, amount])
  const { transactionHash } = await parts.sender.once(book, about, { to: token.address, data }, () =>
    ownership(book, mint),
  )
  return { txHash: transactionHash }
}

/** The transaction that used an id, if one did. */
async function mintedBefore(parts: EvmParts, token: TokenFact, id: string): Promise<string | undefined> {
  if (!(await isUsed(parts, token, id))) return undefined
  const { address } = token
  const logs = (await parts.rpc('eth_getLogs', [
    { address, fromBlock: '0x0', toBlock: 'latest', topics: [MINTED, id] },
  ])) as readonly { readonly transactionHash: string }[]
  if (!logs[0]) throw new Error(`the contract ${address} knows the id ${id}, and the node has no log of it`)
  return logs[0].transactionHash
}

/** A wallet is known to be an account's by what that account has minted to it. */
function ownership(book: EvmBook, { requestId, wallet }: ChainMint): readonly NamedFact[] {
  const request = book.view.requests.get(requestId)
  if (!request) return []
  const { issuer, accountId } = request
  const known = book.ownerOf(issuer, wallet)
  if (known?.accountId === accountId) return []
  return [[book.names.wallet(issuer, wallet), known ? { fact: 'wallet' } : { fact: 'wallet', accountId }]]
}

/** How many tokens a contract of ours says there are. */
export const supplyOf = async ({ tokens }: EvmParts, { address }: TokenFact): Promise<bigint> =>
  numberIn(await tokens.ask(address, callOf('totalSupply()')))

export const isUsed = async ({ tokens }: EvmParts, { address }: TokenFact, id: string): Promise<boolean> =>
  numberIn(await tokens.ask(address, callOf('isUsed(bytes32)', [{ bytes32: id }]))) === 1n

export const topicOfAddress = (address: string): string => `0x${wordOf({ address })}`

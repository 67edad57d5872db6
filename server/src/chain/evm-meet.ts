import { randomBytes } from 'node:crypto'
import type { EvmBook } from './evm-book.ts'
import { numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'

export type Meet = (book: EvmBook) => Promise<void>

/** Meets the network once in a process; whoever comes meanwhile waits, and after a failure it is tried again. */
export function meetOnce(rpc: Rpc, sender: EvmSender): Meet {
  let met: Promise<void> | undefined
  return (book) => {
    met ??= begin(rpc, sender, book).catch((error) => {
      met = undefined
      throw error
    })
    return met
  }
}

/** The first contact of a world with a network; later ones must be with the same one. */
async function begin(rpc: Rpc, sender: EvmSender, book: EvmBook): Promise<void> {
  const chainId = numberIn(await rpc('eth_chainId', []))
  const { seen } = book
  if (seen && seen.chainId !== chainId)
    throw new Error(`the node is of chain ${chainId}, and these books are of chain ${seen.chainId}`)
  if (seen) return
  const salt = randomBytes(16).toString('hex')
  const block = await sender.last()
  await book.note([book.names.seen, { fact: 'seen', block: block > 0n ? block : 0n, chainId, salt }])
}

import { randomBytes } from 'node:crypto'
import type { EvmRecords } from './evm-records.ts'
import { numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'

export type Meet = (records: EvmRecords) => Promise<void>

/** Connects to the network once per process. Concurrent callers wait; after a failure the next call tries again. */
export function meetOnce(rpc: Rpc, sender: EvmSender): Meet {
  let met: Promise<void> | undefined
  return (records) => {
    met ??= begin(rpc, sender, records).catch((error) => {
      met = undefined
      throw error
    })
    return met
  }
}

/** Connects a world to a network for the first time, or checks that it is the same network as before. */
async function begin(rpc: Rpc, sender: EvmSender, records: EvmRecords): Promise<void> {
  const chainId = numberIn(await rpc('eth_chainId', []))
  const { seen } = records
  if (seen && seen.chainId !== chainId)
    throw new Error(`the node is on chain ${chainId}, but this data folder belongs to chain ${seen.chainId}`)
  if (seen) return
  const salt = randomBytes(16).toString('hex')
  const block = await sender.last()
  await records.note([records.names.seen, { fact: 'seen', block: block > 0n ? block : 0n, chainId, salt }])
}

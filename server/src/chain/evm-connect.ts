import { randomBytes } from 'node:crypto'
import type { EvmRecords } from './evm-records.ts'
import { numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'

export type Connect = (records: EvmRecords) => Promise<void>

/** Connects to the network once per process. Concurrent callers wait; after a failure the next call tries again. */
export function connectOnce(rpc: Rpc, sender: EvmSender): Connect {
  let connected: Promise<void> | undefined
  return (records) => {
    connected ??= connectWorld(rpc, sender, records).catch((error) => {
      connected = undefined
      throw error
    })
    return connected
  }
}

/** Connects a world to a network for the first time, or checks that it is the same network as before. */
async function connectWorld(rpc: Rpc, sender: EvmSender, records: EvmRecords): Promise<void> {
  const chainId = numberIn(await rpc('eth_chainId', []))
  const { processed } = records
  if (processed && processed.chainId !== chainId)
    throw new Error(
      `the node is on chain ${chainId}, but this data folder belongs to chain ${processed.chainId}`,
    )
  if (processed) return
  const salt = randomBytes(16).toString('hex')
  const block = await sender.last()
  await records.store([
    records.names.processed,
    { fact: 'processed', block: block > 0n ? block : 0n, chainId, salt },
  ])
}

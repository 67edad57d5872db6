import { randomBytes } from 'node:crypto'
import type { Result } from '@quipu/core'
import { fail, ok } from '@quipu/core/values'
import { addr } from 'micro-eth-signer'
import { checkAddress } from './address.ts'
import type { AddressProblem } from './chain.ts'
import type { EvmParts } from './evm-mint.ts'
import type { EvmRecords } from './evm-records.ts'
import { numberIn, type Rpc, rpcAt } from './evm-rpc.ts'
import { EvmSender } from './evm-sender.ts'
import { EvmTokens } from './evm-tokens.ts'

export type EvmSettings = {
  readonly url: string
  /** Private key in hex. */
  readonly key: string
  readonly confirmations: number
  /** Contract addresses by token symbol, in lower case. */
  readonly contracts: ReadonlyMap<string, string>
}

/** Everything that uses one node with one key. Makes no call yet. */
export function evmParts({ url, key, confirmations, contracts }: EvmSettings): EvmParts {
  const rpc = rpcAt(url)
  const sender = new EvmSender(rpc, { key, confirmations })
  return { rpc, sender, tokens: new EvmTokens(rpc, sender, contracts), connect: connectOnce(rpc, sender) }
}

/** Mixed case is a checksum. Minting to the redemption wallet is not allowed. */
export function checkEvmAddress(
  network: string,
  address: string,
  redemptionWallet: string,
): Result<undefined, AddressProblem> {
  const checked = checkAddress(network, address)
  if (!checked.ok) return checked
  const digits = address.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixed && !addr.isValid(address)) return fail('wrongChecksum')
  return address.toLowerCase() === redemptionWallet ? fail('withoutOwner') : ok(undefined)
}

/** Connects to the network once per process. Concurrent callers wait; after a failure the next call tries again. */
function connectOnce(rpc: Rpc, sender: EvmSender): EvmParts['connect'] {
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

export { supplyFaults } from './evm-audit.ts'
export { mintOn } from './evm-mint.ts'
export { EvmRecords } from './evm-records.ts'
export { EvmWatch } from './evm-watch.ts'

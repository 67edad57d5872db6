import { fail, ok, type Result } from '@quipu/core'
import { addr } from 'micro-eth-signer'
import { checkAddress } from './address.ts'
import type { AddressProblem } from './chain.ts'
import { connectOnce } from './evm-connect.ts'
import type { EvmParts } from './evm-mint.ts'
import { rpcAt } from './evm-rpc.ts'
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

export { supplyFaults } from './evm-audit.ts'
export { mintOn } from './evm-mint.ts'
export { EvmRecords } from './evm-records.ts'
export { EvmWatch } from './evm-watch.ts'

import { hash } from 'node:crypto'
import { base58 } from '@scure/base'
import { checkAddress, checkLeniently } from './address.ts'
import type { Chain } from './chain.ts'
import { formOf, type NetworkForm } from './networks.ts'

/** lenient: any printable address, because example addresses are often invented; strict: the format of the network. */
export type AddressRule = 'lenient' | 'strict'

/** Simulates all networks: tokens exist only in the ledger. */
export function simulatedChain({ addresses = 'lenient' }: { readonly addresses?: AddressRule } = {}): Chain {
  return {
    validateAddress: addresses === 'strict' ? checkAddress : checkLeniently,
    txHash: txHashOf,
    mint: async ({ network, requestId }) => ({ txHash: txHashOf(network, requestId) }),
  }
}

/** Derived from the request, so a repeated mint has the same hash. */
function txHashOf(network: string, about: string): string {
  const form = formOf(network)
  if (form === undefined) throw new Error(`unknown network "${network}"`)
  return writers[form](`${network}/${about}`)
}

const hex = (text: string): string => hash('sha256', text, 'hex')

const writers: Readonly<Record<NetworkForm, (text: string) => string>> = {
  evm: (text) => `0x${hex(text)}`,
  solana: (text) => base58.encode(hash('sha512', text, 'buffer')),
  ton: hex,
  tron: hex,
}

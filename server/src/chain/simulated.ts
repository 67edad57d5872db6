import { hash } from 'node:crypto'
import { checkAddress, checkLeniently } from './address.ts'
import { toBase58 } from './base58.ts'
import type { Chain } from './chain.ts'
import { formOf, type NetworkForm } from './networks.ts'

/** lenient: anything that can be written down, since examples in the wild are seldom real; strict: as the networks do. */
export type AddressRule = 'lenient' | 'strict'

/** All networks at once, without any: what is minted exists only in the broker's books. */
export function simulatedChain({ addresses = 'lenient' }: { readonly addresses?: AddressRule } = {}): Chain {
  return {
    validateAddress: addresses === 'strict' ? checkAddress : checkLeniently,
    txHash: txHashOf,
    mint: async ({ network, requestId }) => ({ txHash: txHashOf(network, requestId) }),
  }
}

/** Made from the request alone, so a mint that is asked for twice is one. */
function txHashOf(network: string, about: string): string {
  const form = formOf(network)
  if (form === undefined) throw new Error(`no network is called "${network}"`)
  return writers[form](`${network}/${about}`)
}

const hex = (text: string): string => hash('sha256', text, 'hex')

const writers: Readonly<Record<NetworkForm, (text: string) => string>> = {
  evm: (text) => `0x${hex(text)}`,
  solana: (text) => toBase58(hash('sha512', text, 'buffer')),
  ton: hex,
  tron: hex,
}

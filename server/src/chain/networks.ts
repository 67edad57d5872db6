/** How addresses and transactions of a network are written. */
export type NetworkForm = 'evm' | 'solana' | 'ton' | 'tron'

/** Every network by the name the protocol gives it; `binance` is BNB Smart Chain. */
const forms = new Map<string, NetworkForm>([
  ['arbitrum', 'evm'],
  ['base', 'evm'],
  ['binance', 'evm'],
  ['cronos', 'evm'],
  ['ethereum', 'evm'],
  ['hypercore', 'evm'],
  ['hyperevm', 'evm'],
  ['mantle', 'evm'],
  ['robinhood', 'evm'],
  ['solana', 'solana'],
  ['ton', 'ton'],
  ['tron', 'tron'],
])

export const networks: readonly string[] = [...forms.keys()]

export const formOf = (network: string): NetworkForm | undefined => forms.get(network)

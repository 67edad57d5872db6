/** The format of addresses and transactions of a network. */
export type NetworkForm = 'evm' | 'solana' | 'ton' | 'tron'

/** Networks by their name in the protocol; `binance` is BNB Smart Chain. */
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

import { type Quantity, type TokenFact, toQuantity } from '@quipu/core'
import artefact from './contract/quipu-token.json' with { type: 'json' }
import { addressIn, callOf, textsOf } from './evm-calls.ts'
import type { EvmRecords } from './evm-records.ts'
import { NodeRefused, numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'

const OUR_DECIMALS = 18
/** Amounts in the ledger have nine decimals. */
const LEDGER_DECIMALS = 9
const NO_ID = { bytes32: `0x${'0'.repeat(64)}` }

/** The contract of each token: configured, deployed before, or deployed now. */
export class EvmTokens {
  readonly #rpc: Rpc
  readonly #sender: EvmSender
  readonly #configured: ReadonlyMap<string, string>
  readonly #pending = new Map<string, Promise<TokenFact>>()

  constructor(rpc: Rpc, sender: EvmSender, configured: ReadonlyMap<string, string>) {
    this.#rpc = rpc
    this.#sender = sender
    this.#configured = configured
  }

  /** The contract of a token. Concurrent calls deploy it once. */
  async of(records: EvmRecords, symbol: string): Promise<TokenFact> {
    const known = records.token(symbol)
    if (known && (this.#configured.get(symbol) ?? known.address) === known.address) return known
    const pending =
      this.#pending.get(symbol) ?? this.#find(records, symbol).finally(() => this.#pending.delete(symbol))
    this.#pending.set(symbol, pending)
    return pending
  }

  /** Configured contracts are looked up before the first mint, because tokens may arrive at any time. */
  async loadConfigured(records: EvmRecords): Promise<void> {
    for (const symbol of this.#configured.keys()) await this.of(records, symbol)
  }

  async #find(records: EvmRecords, symbol: string): Promise<TokenFact> {
    const { network } = records
    const configured = this.#configured.get(symbol)
    const about = `deploy/${symbol}`
    const token: TokenFact = configured
      ? { fact: 'token', network, symbol, ...(await this.#probe(configured)) }
      : {
          fact: 'token',
          network,
          symbol,
          address: await this.#deploy(records, about, symbol),
          decimals: OUR_DECIMALS,
          isQuipuToken: true,
        }
    await records.store([records.names.token(symbol), token], [records.names.sent(about), null])
    return token
  }

  async #deploy(records: EvmRecords, about: string, symbol: string): Promise<string> {
    const data = artefact.bytecode + textsOf([symbol, symbol])
    const { contractAddress } = await this.#sender.once(records, about, { data })
    if (!contractAddress) throw new Error(`the contract of ${symbol} has no address after its deployment`)
    return contractAddress.toLowerCase()
  }

  /** Whether a configured contract is of our kind, so that only its issuer can mint. */
  async #probe(address: string): Promise<Pick<TokenFact, 'address' | 'decimals' | 'isQuipuToken'>> {
    const decimals = Number(numberIn(await this.call(address, callOf('decimals()'))))
    const response = await this.call(address, callOf('isUsed(bytes32)', [NO_ID])).catch((error: unknown) => {
      if (error instanceof NodeRefused) return '0x'
      throw error
    })
    const isQuipuToken = response.length === 66
    if (isQuipuToken && addressIn(await this.call(address, callOf('issuer()'))) !== this.#sender.address)
      throw new Error(`the contract ${address} has another issuer than ${this.#sender.address}`)
    return { address, decimals, isQuipuToken }
  }

  async call(to: string, data: string): Promise<string> {
    return String(await this.#rpc('eth_call', [{ to, data }, 'latest']))
  }
}

/** Tokens in the units of the chain. */
export function unitsOf(tokens: Quantity, { decimals, symbol }: TokenFact): bigint {
  if (decimals >= LEDGER_DECIMALS) return tokens * 10n ** BigInt(decimals - LEDGER_DECIMALS)
  const one = 10n ** BigInt(LEDGER_DECIMALS - decimals)
  if (tokens % one !== 0n)
    throw new Error(`${symbol} has ${decimals} decimals, which is too few for this amount`)
  return tokens / one
}

/** Chain units as tokens, rounded down to a billionth, and the rest. */
export function tokensIn(units: bigint, { decimals }: TokenFact): { tokens: Quantity; dust: bigint } {
  if (decimals < LEDGER_DECIMALS)
    return { tokens: toQuantity(units * 10n ** BigInt(LEDGER_DECIMALS - decimals)), dust: 0n }
  const one = 10n ** BigInt(decimals - LEDGER_DECIMALS)
  return { tokens: toQuantity(units / one), dust: units % one }
}

import { readFileSync } from 'node:fs'
import type { Quantity, TokenFact } from '@quipu/core'
import type { EvmBook } from './evm-book.ts'
import { addressIn, callOf, textsOf } from './evm-calls.ts'
import { NodeRefused, numberIn, type Rpc } from './evm-rpc.ts'
import type { EvmSender } from './evm-sender.ts'

const OUR_DECIMALS = 18
/** Amounts in the books have nine. */
const BOOK_DECIMALS = 9
const NO_ID = { bytes32: `0x${'0'.repeat(64)}` }

/** Which contract a token is: one that is given, one that was deployed, or one that is deployed now. */
export class EvmTokens {
  readonly #rpc: Rpc
  readonly #sender: EvmSender
  readonly #given: ReadonlyMap<string, string>
  readonly #asked = new Map<string, Promise<TokenFact>>()

  constructor(rpc: Rpc, sender: EvmSender, given: ReadonlyMap<string, string>) {
    this.#rpc = rpc
    this.#sender = sender
    this.#given = given
  }

  /** The contract of a token; asked for twice at once, it is deployed once. */
  async of(book: EvmBook, symbol: string): Promise<TokenFact> {
    const known = book.token(symbol)
    if (known && (this.#given.get(symbol) ?? known.address) === known.address) return known
    const asked =
      this.#asked.get(symbol) ?? this.#find(book, symbol).finally(() => this.#asked.delete(symbol))
    this.#asked.set(symbol, asked)
    return asked
  }

  /** Those that are given are known before anybody mints them: tokens may come back at any time. */
  async learnGiven(book: EvmBook): Promise<void> {
    for (const symbol of this.#given.keys()) await this.of(book, symbol)
  }

  async #find(book: EvmBook, symbol: string): Promise<TokenFact> {
    const { network } = book
    const given = this.#given.get(symbol)
    const about = `deploy/${symbol}`
    const token: TokenFact = given
      ? { fact: 'token', network, symbol, ...(await this.#probe(given)) }
      : {
          fact: 'token',
          network,
          symbol,
          address: await this.#deploy(book, about, symbol),
          decimals: OUR_DECIMALS,
          ours: true,
        }
    await book.note([book.names.token(symbol), token], [book.names.sent(about), null])
    return token
  }

  async #deploy(book: EvmBook, about: string, symbol: string): Promise<string> {
    const data = artefact().bytecode + textsOf([symbol, symbol])
    const { contractAddress } = await this.#sender.once(book, about, { data })
    if (!contractAddress) throw new Error(`the contract of ${symbol} was deployed nowhere`)
    return contractAddress.toLowerCase()
  }

  /** Whether a given contract is of our kind, which only its issuer can mint. */
  async #probe(address: string): Promise<Pick<TokenFact, 'address' | 'decimals' | 'ours'>> {
    const decimals = Number(numberIn(await this.ask(address, callOf('decimals()'))))
    const answer = await this.ask(address, callOf('isUsed(bytes32)', [NO_ID])).catch((error: unknown) => {
      if (error instanceof NodeRefused) return '0x'
      throw error
    })
    const ours = answer.length === 66
    if (ours && addressIn(await this.ask(address, callOf('issuer()'))) !== this.#sender.address)
      throw new Error(`the contract ${address} has another issuer than ${this.#sender.address}`)
    return { address, decimals, ours }
  }

  async ask(to: string, data: string): Promise<string> {
    return String(await this.#rpc('eth_call', [{ to, data }, 'latest']))
  }
}

let read: { readonly bytecode: string } | undefined

/** The compiled contract; read where the first one is deployed. */
function artefact(): { readonly bytecode: string } {
  read ??= JSON.parse(readFileSync(new URL('contract/quipu-token.json', import.meta.url), 'utf8')) as {
    bytecode: string
  }
  return read
}

/** Tokens as the chain counts them. */
export function unitsOf(tokens: Quantity, { decimals, symbol }: TokenFact): bigint {
  if (decimals >= BOOK_DECIMALS) return tokens * 10n ** BigInt(decimals - BOOK_DECIMALS)
  const one = 10n ** BigInt(BOOK_DECIMALS - decimals)
  if (tokens % one !== 0n)
    throw new Error(`${symbol} has ${decimals} decimals, which is too few for this amount`)
  return tokens / one
}

/** What the chain counts as tokens, rounded down to a billionth, and what is left over. */
export function tokensIn(units: bigint, { decimals }: TokenFact): { tokens: Quantity; dust: bigint } {
  if (decimals < BOOK_DECIMALS)
    return { tokens: (units * 10n ** BigInt(BOOK_DECIMALS - decimals)) as Quantity, dust: 0n }
  const one = 10n ** BigInt(decimals - BOOK_DECIMALS)
  return { tokens: (units / one) as Quantity, dust: units % one }
}

import {
  type AccountId,
  type ChainFact,
  type Command,
  type Decision,
  type Instant,
  type NamedFact,
  type ProcessedFact,
  processedName,
  type RequestId,
  type SentFact,
  type TokenFact,
  type TokenizationRequest,
  tokenName,
  transferName,
  type View,
} from '@quipu/core'
import { keccak } from './evm-calls.ts'

/** The parts of a world that are needed for its tokens on a chain. */
export type ChainWorld = {
  /** False while the world is being rebuilt: commands are then not applied. */
  readonly status: { readonly isUp: boolean }
  readonly engine: { readonly now: Instant }
  readonly view: View
  readonly commands: {
    submit(
      command: Command,
      look: (view: View, decision: Decision) => Decision,
    ): Promise<{ readonly value: Decision }>
  }
  readonly storage: {
    readonly queryTables: Requests
    withArchived<Found, Value>(
      find: (queryTables: Requests) => Promise<Found>,
      use: (found: Found) => Promise<Value>,
    ): Promise<Value>
  }
}

/** Requests that memory may have released. */
type Requests = {
  request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined>
  requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined>
}

/** The stored facts of a world about one network. */
export class EvmRecords {
  readonly network: string
  readonly #world: Pick<ChainWorld, 'view' | 'commands'>

  constructor(world: Pick<ChainWorld, 'view' | 'commands'>, network: string) {
    this.#world = world
    this.network = network
  }

  get view(): View {
    return this.#world.view
  }

  /** Stores facts in the journal. Resolves when they are durable. */
  async store(...facts: readonly NamedFact[]): Promise<void> {
    await this.#world.commands.submit({ kind: 'recordChainFacts', facts }, (_, decided) => decided)
  }

  get processed(): ProcessedFact | undefined {
    return this.#fact(this.names.processed, 'processed')
  }

  sent(about: string): SentFact | undefined {
    return this.#fact(this.names.sent(about), 'sent')
  }

  token(symbol: string): TokenFact | undefined {
    return this.#fact(this.names.token(symbol), 'token')
  }

  tokens(): readonly TokenFact[] {
    return this.all('token').map(([, fact]) => fact)
  }

  dust(symbol: string): bigint {
    return this.#fact(this.names.dust(symbol), 'dust')?.units ?? 0n
  }

  /** The account that minted to a wallet with an issuer: none, one, or several. */
  ownerOf(issuer: string, wallet: string) {
    return this.#fact(this.names.wallet(issuer, wallet), 'wallet')
  }

  /** Every fact of a kind about this network, by name. */
  all<Kind extends ChainFact['fact']>(
    kind: Kind,
  ): readonly (readonly [string, Extract<ChainFact, { fact: Kind }>])[] {
    const start = `${kind}/${this.network}/`
    return [...this.view.chain].flatMap(([name, fact]) =>
      name.startsWith(start) ? [[name, fact as Extract<ChainFact, { fact: Kind }>] as const] : [],
    )
  }

  /** The id of a request in a contract. */
  idOf(requestId: string): string {
    const { salt } = this.processed ?? {}
    if (salt === undefined) throw new Error('the network has not been reached yet')
    return keccak(Buffer.from(`${salt}/${requestId}`))
  }

  get names() {
    const { network } = this
    return {
      processed: processedName(network),
      sent: (about: string) => `sent/${network}/${about}`,
      token: (symbol: string) => tokenName(network, symbol),
      dust: (symbol: string) => `dust/${network}/${symbol}`,
      wallet: (issuer: string, wallet: string) => `wallet/${network}/${issuer}/${wallet.toLowerCase()}`,
      transfer: (txHash: string, logIndex: number) => transferName(network, txHash, logIndex),
    }
  }

  #fact<Kind extends ChainFact['fact']>(name: string, kind: Kind) {
    const fact = this.view.chain.get(name)
    return fact?.fact === kind ? (fact as Extract<ChainFact, { fact: Kind }>) : undefined
  }
}

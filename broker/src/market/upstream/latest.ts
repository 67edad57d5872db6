import { firstOf, isPair, type Ticker } from '@quipu/core'
import type { UpstreamClient } from './client.ts'
import type { UpstreamTerms } from './terms.ts'
import { recordIn, type Sent } from './wire.ts'

/** Symbols per request. */
const SYMBOLS_AT_ONCE = 100

export type LatestKind = 'bars' | 'trades' | 'quotes' | 'orderbooks'

type PendingRequest = { readonly symbols: Set<Ticker>; readonly response: Promise<ReadonlyMap<Ticker, Sent>> }

/** The newest data of a symbol. Symbols that are requested in the same tick share one request. */
export class Latest {
  readonly #client: UpstreamClient
  readonly #terms: UpstreamTerms
  readonly #pending = new Map<string, PendingRequest>()

  constructor(client: UpstreamClient, terms: UpstreamTerms) {
    this.#client = client
    this.#terms = terms
  }

  async of<Item>(kind: LatestKind, symbol: Ticker, from: (sent: Sent) => Item): Promise<Item | undefined> {
    const path = isPair(symbol)
      ? `/v1beta3/crypto/${this.#terms.crypto}/latest/${kind}`
      : `/v2/stocks/${kind}/latest`
    const open = this.#pending.get(path)
    const request = open && open.symbols.size < SYMBOLS_AT_ONCE ? open : this.#begin(kind, path, symbol)
    request.symbols.add(symbol)
    const sent = (await request.response).get(symbol)
    return sent && from(sent)
  }

  #begin(kind: LatestKind, path: string, first: Ticker): PendingRequest {
    const symbols = new Set<Ticker>()
    const turn = new Promise<void>((resume) => setImmediate(resume))
    const response = turn.then(() => {
      if (this.#pending.get(path) === request) this.#pending.delete(path)
      return this.#request(kind, path, [...symbols])
    })
    const request: PendingRequest = { symbols: symbols.add(first), response }
    this.#pending.set(path, request)
    return request
  }

  async #request(
    kind: LatestKind,
    path: string,
    symbols: readonly Ticker[],
  ): Promise<ReadonlyMap<Ticker, Sent>> {
    const feed = isPair(firstOf(symbols)) ? undefined : this.#terms.feed
    const body = recordIn(await this.#client.get(path, { symbols: symbols.join(','), feed }), kind)
    const found = symbols.map((symbol) => [symbol, recordIn(body, symbol)] as const)
    return new Map(found.filter(([, sent]) => sent['t'] !== undefined))
  }
}

import {
  type Asset,
  assetOf,
  builtInListing,
  checkCustom,
  definedFields,
  type ListingExchange,
  type Ticker,
} from '@quipu/core'
import type { Log } from '../../log/log.ts'
import type { UpstreamClient } from './client.ts'
import type { UpstreamTerms } from './terms.ts'
import { isRecord, type Sent, textIn } from './wire.ts'

/** The provider lists only stocks if no class is given. */
const CLASSES = ['us_equity', 'crypto'] as const
const EXCHANGES: readonly ListingExchange[] = ['NYSE', 'NASDAQ', 'ARCA', 'AMEX', 'BATS', 'CRYPTO']

/**
 * The assets of the provider; until it responds, Quipu's own list. Ids are computed by Quipu, so that they do not
 * depend on the provider.
 */
export class UpstreamListing {
  readonly #client: UpstreamClient
  readonly #terms: UpstreamTerms
  readonly #log: Log
  #assets: ReadonlyMap<Ticker, Asset> = builtInListing().assets
  #state: 'open' | 'requesting' | 'complete' = 'open'

  private constructor(client: UpstreamClient, terms: UpstreamTerms, log: Log) {
    this.#client = client
    this.#terms = terms
    this.#log = log
  }

  static async open(client: UpstreamClient, terms: UpstreamTerms, log: Log): Promise<UpstreamListing> {
    const listing = new UpstreamListing(client, terms, log)
    await listing.complete()
    return listing
  }

  get assets(): ReadonlyMap<Ticker, Asset> {
    return this.#assets
  }

  /** Requests the assets unless they are known. Never fails. */
  async complete(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'requesting'
    try {
      const listed = await this.#request()
      if (listed.length > 0) this.#assets = new Map(listed.map((asset) => [asset.symbol, asset]))
      this.#state = 'complete'
    } catch (error) {
      this.#state = 'open'
      this.#log.hint('upstream assets', 'upstream did not list its assets; using the built-in list', {
        error: String(error),
      })
    }
  }

  async #request(): Promise<readonly Asset[]> {
    const { tradingUrl, url } = this.#terms
    const lists = await Promise.all(
      CLASSES.map((asset_class) =>
        this.#client.get('/v2/assets', { status: 'active', asset_class }, tradingUrl ?? url),
      ),
    )
    return lists.flat().filter(isRecord).flatMap(assetFrom)
  }
}

/** Omits options and unsupported symbols. */
function assetFrom(sent: Sent): readonly Asset[] {
  const symbol = textIn(sent, 'symbol')
  const isSupported = CLASSES.some((one) => one === sent['class'])
  if (!isSupported || !checkCustom({ symbol }).ok) return []
  const known = assetOf({ symbol, ...definedFields({ name: textIn(sent, 'name') || undefined }) })
  const exchange = EXCHANGES.find((one) => one === sent['exchange']) ?? known.exchange
  return [
    {
      ...known,
      exchange,
      status: sent['status'] === 'inactive' ? 'inactive' : 'active',
      tradable: sent['tradable'] === true,
      marginable: sent['marginable'] === true,
      shortable: sent['shortable'] === true,
      easyToBorrow: sent['easy_to_borrow'] === true,
      fractionable: sent['fractionable'] === true,
    },
  ]
}

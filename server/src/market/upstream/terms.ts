/** How a provider is reached, and what it may cost. */
export type UpstreamTerms = {
  /** Where market data is asked for. */
  readonly url: string
  /** Where the data streams are; absent: by the rule of `streamUrlOf`. */
  readonly streamUrl?: string | undefined
  /** Where `/v2/assets` is; absent: at `url`. */
  readonly tradingUrl?: string | undefined
  readonly keyId: string
  readonly secretKey: string
  /** The feed of stocks: `iex`, `sip`, … */
  readonly feed: string
  /** The location of crypto: `us`, … */
  readonly crypto: string
  /** From a question until its answer is complete, tries and waits included. */
  readonly timeoutMs: number
  /** Questions under way at once. */
  readonly requestsMax: number
  /** Symbols whose price is kept. */
  readonly symbolsMax: number
  /** Missed trades of one symbol that are told after a gap. */
  readonly gapTradesMax: number
  /** Rows of finished pages that are kept. */
  readonly cacheRowsMax: number
}

/** A host `data.…` has its streams at `stream.data.…`, every other at itself. */
export function streamUrlOf({ url, streamUrl }: Pick<UpstreamTerms, 'url' | 'streamUrl'>): string {
  const at = new URL(streamUrl ?? url)
  at.protocol = at.protocol === 'https:' || at.protocol === 'wss:' ? 'wss:' : 'ws:'
  if (streamUrl === undefined && at.hostname.startsWith('data.')) at.hostname = `stream.${at.hostname}`
  return at.href.replace(/\/$/, '')
}

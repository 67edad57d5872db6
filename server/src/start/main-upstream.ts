import type { Config } from '../config/config.ts'
import type { Upstream } from '../market/upstream/upstream.ts'
import type { Log } from '../process/log.ts'

/** The market data provider of `main`, if one is configured. */
export async function mainUpstream(config: Config, log: Log): Promise<Upstream | undefined> {
  const { upstreamUrl: url, upstreamKeyId: keyId, upstreamSecretKey: secretKey } = config
  if (url === undefined || keyId === undefined || secretKey === undefined) return undefined
  const { openUpstream } = await import('../market/upstream/upstream.ts')
  return openUpstream(
    {
      url,
      streamUrl: config.upstreamStreamUrl,
      tradingUrl: config.upstreamTradingUrl,
      keyId,
      secretKey,
      feed: config.upstreamFeed,
      crypto: config.upstreamCrypto,
      timeoutMs: config.upstreamTimeoutMs,
      requestsMax: config.upstreamRequestsMax,
      symbolsMax: config.upstreamSymbolsMax,
      gapTradesMax: config.upstreamGapTradesMax,
      cacheRowsMax: config.upstreamCacheRowsMax,
    },
    log,
  )
}

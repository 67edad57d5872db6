import { ASSETS, type Asset, assetOf, checkCustom, type Exchange, type Ticker } from '@quipu/core'
import type { Log } from '../../log.ts'
import type { Client } from './client.ts'
import type { UpstreamTerms } from './terms.ts'
import { isRecord, type Sent, textIn } from './wire.ts'

/** Without a class only stocks are listed. */
const CLASSES = ['us_equity', 'crypto'] as const
const EXCHANGES: readonly Exchange[] = ['NYSE', 'NASDAQ', 'ARCA', 'AMEX', 'BATS', 'CRYPTO']

/**
 * What the provider lists, where it lists anything; otherwise what Quipu lists anyway. Ids are Quipu's own, the same
 * whoever lists a symbol, so that a day without the provider changes none.
 */
export async function listingOf(
  client: Client,
  { tradingUrl, url }: UpstreamTerms,
  log: Log,
): Promise<ReadonlyMap<Ticker, Asset>> {
  try {
    const lists = await Promise.all(
      CLASSES.map((asset_class) =>
        client.get('/v2/assets', { status: 'active', asset_class }, tradingUrl ?? url),
      ),
    )
    const listed = lists.flat().filter(isRecord).flatMap(assetFrom)
    if (listed.length > 0) return new Map(listed.map((asset) => [asset.symbol, asset]))
    log.warn('upstream lists no assets: those that are known anyway are traded')
  } catch (error) {
    log.warn('upstream did not list its assets: those that are known anyway are traded', {
      error: String(error),
    })
  }
  return ASSETS
}

/** Options and symbols of a shape we do not trade are left out. */
function assetFrom(sent: Sent): readonly Asset[] {
  const symbol = textIn(sent, 'symbol')
  const isOurs = CLASSES.some((one) => one === sent['class'])
  if (!isOurs || !checkCustom({ symbol }).ok) return []
  const known = assetOf({ symbol, ...(textIn(sent, 'name') && { name: textIn(sent, 'name') }) })
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

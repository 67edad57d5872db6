import { type Price, toPrice } from '../../amount.ts'
import { dayOf } from '../../civil-date.ts'
import { definedFields } from '../../defined-fields.ts'
import { tickerOf } from '../../ids.ts'
import { fail, lookUp, type Result } from '../../result.ts'
import { exponential } from '../kernel/factors/exponential.ts'
import { isAboveFloor } from '../kernel/levels.ts'
import type { Profile } from '../kernel/profile.ts'
import { keyOf, normal, uniform } from '../kernel/random.ts'
import { addedClass, type CustomFault, type CustomSymbol, checkCustom, type Estimates } from './added.ts'
import type { Asset, TradingTerms } from './asset.ts'
import { assetIdOf, builtInListing, equityOf, type Listed, liquidityOf } from './assets.ts'
import { type Pair, pairAsset, pairProfile } from './crypto.ts'

export const assetOf = (custom: CustomSymbol): Asset => listingOf(custom).asset
export const profileOf = (custom: CustomSymbol): Profile => listingOf(custom).profile

/** Checks a symbol before it is stored: one whose prices cannot be generated would stop its world. */
export function checkListing(custom: CustomSymbol): Result<CustomSymbol, CustomFault> {
  const checked = checkCustom(custom)
  return !checked.ok || isAboveFloor(profileOf(custom)) ? checked : fail('badPrice')
}

function listingOf(custom: CustomSymbol): Listed {
  const { asset, profile } =
    addedClass(custom) === 'crypto' ? pairBy(custom) : (repriced(custom) ?? stockBy(custom))
  return {
    asset: { ...asset, name: custom.name ?? asset.name, ...restricted(asset, custom.terms) },
    profile: custom.on === undefined ? profile : { ...profile, anchor: dayOf(custom.on) },
  }
}

/** Terms only restrict: crypto is never shortable or marginable. */
function restricted(asset: Asset, terms: TradingTerms = {}): Partial<Asset> {
  const { tradable = true, fractionable = true, shortable = true, marginable = true } = terms
  return {
    tradable: asset.tradable && tradable,
    fractionable: asset.fractionable && fractionable,
    shortable: asset.shortable && shortable,
    easyToBorrow: asset.easyToBorrow && shortable,
    marginable: asset.marginable && marginable,
  }
}

/** A listed symbol keeps everything except its price. */
function repriced({ symbol, price }: CustomSymbol): Listed | undefined {
  const listed = lookUp(builtInListing().listed, symbol)
  if (!listed || price === undefined) return listed
  const tick = tickAt(price)
  return {
    asset: { ...listed.asset, tick },
    profile: { ...listed.profile, basePrice: ticksOf(price, tick) },
  }
}

function stockBy(custom: CustomSymbol): Listed {
  return custom.estimates ? estimatedStock(custom, custom.estimates) : derivedStock(custom)
}

function estimatedStock({ symbol, price: requestedPrice }: CustomSymbol, estimates: Estimates): Listed {
  const { exchange, volume, volatility, beta, sector, isFund } = estimates
  const price = requestedPrice ?? Number(estimates.price) / 1_000_000_000
  const tick = tickAt(price)
  return {
    asset: { ...equityOf({ symbol: tickerOf(symbol), id: assetIdOf(symbol), exchange, name: symbol }), tick },
    profile: {
      symbol: tickerOf(symbol),
      ...liquidityOf(price, volume / 1_000_000),
      basePrice: ticksOf(price, tick),
      volatility,
      beta,
      ...definedFields({ sector, isFund }),
    },
  }
}

function derivedStock({ symbol, price: requestedPrice }: CustomSymbol): Listed {
  const key = keyOf(symbol)
  const price = requestedPrice ?? Math.round(100 * Math.max(2, exponential(3.6 + 0.8 * normal(key, 1)))) / 100
  const tick = tickAt(price)
  const millions = exponential(0.9 + 0.9 * normal(key, 2))
  const exchange = uniform(key, 3) < 0.6 ? 'NASDAQ' : 'NYSE'
  return {
    asset: {
      ...equityOf({ symbol: tickerOf(symbol), id: assetIdOf(symbol), exchange, name: symbol }),
      tick,
    },
    profile: {
      symbol: tickerOf(symbol),
      ...liquidityOf(price, millions),
      basePrice: ticksOf(price, tick),
      volatility: 0.25 + 0.35 * uniform(key, 4),
      beta: 0.7 + 0.8 * uniform(key, 5),
    },
  }
}

function pairBy({ symbol, price: requestedPrice }: CustomSymbol): Listed {
  const listed = lookUp(builtInListing().listed, symbol)
  if (listed && requestedPrice === undefined) return listed
  const key = keyOf(symbol)
  const pair: Pair = {
    symbol,
    name: listed?.asset.name ?? symbol,
    price: requestedPrice ?? exponential(1.5 + 2 * normal(key, 1)),
    turnover: 1_000_000 * exponential(0.5 + 0.7 * normal(key, 2)),
    volatility: 0.6 + 0.4 * uniform(key, 4),
    beta: 1 + 0.4 * uniform(key, 5),
    spread: 5 + 10 * uniform(key, 6),
  }
  return { asset: pairAsset(pair, assetIdOf(symbol)), profile: pairProfile(pair) }
}

/** A hundredth of a cent below two dollars: the floor of prices is a hundred ticks. Else a cent. */
const tickAt = (price: number): Price => toPrice(price < 2 ? 100_000n : 10_000_000n)
const ticksOf = (price: number, tick: Price): number => Math.round((price * 1_000_000_000) / Number(tick))

import type { SeededWorld } from '@quipu/broker/access/issue-keys.ts'
import type { Advancing } from '@quipu/broker/clock/virtual.ts'
import type { AdvanceReport } from '@quipu/broker/registry/advance.ts'
import { forkExpiryOf } from '@quipu/broker/registry/temporary.ts'
import type { WorldEntry } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { ANY_SYMBOL, type OutputOf } from '@quipu/contract'
import {
  type Account,
  format,
  formatInstant,
  isMarketOpen,
  nextCloseAfter,
  nextOpenAfter,
  settingsOf,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import { accountHolderName } from '../../../wire/broker-wire.ts'
import { marketEventsOf } from '../market.ts'
import { feesToWire } from './world-fees.ts'
import { marginToWire, venueToWire } from './world-venue.ts'

function worldFields(entry: WorldEntry) {
  const { world, clock, durable, parent, origin } = entry
  const { title, note } = world.view.description ?? {}
  const expiresAtMs = forkExpiryOf(entry)
  const settings = settingsOf(world.view)
  return {
    world: world.id,
    title,
    note,
    parent: parent,
    forked_at: parent && origin && formatInstant(origin.at),
    forked_seq: parent && (origin?.fork?.seq ?? origin?.loaded),
    expires_at: expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString(),
    durable,
    clock: clock ? ('virtual' as const) : ('wall' as const),
    frozen: clock?.speed === 0,
    now: formatInstant(world.engine.latest),
    seed: settings.seed,
    market_seed: settings.marketSeed,
    follows: world.view.followed?.world,
    hours: settings.hours,
    market: settings.market ?? 'synthetic',
    prices: settings.prices?.map(({ symbol }) => symbol),
    market_events: hasMarketEvents(world.view) ? marketEventsOf(world.view, world.engine.latest) : undefined,
    fill_size: settings.fillSize,
    latency_ms: format(settings.latencyNs * 1000n),
    starting_cash: format(settings.startingCash),
    fees: feesToWire(settings.fees),
    symbols: settings.anySymbol ? anyAnd(settings) : settings.symbols && [...settings.symbols],
    venue: settings.venue && venueToWire(settings.venue),
    margin: settings.margin && marginToWire(settings.margin),
    seq: world.view.seq,
  }
}

const anyAnd = ({ added = [] }: WorldSettings): string[] => [ANY_SYMBOL, ...added.map(({ symbol }) => symbol)]

const hasMarketEvents = ({ settings, marketEvents }: World['view']): boolean =>
  settings?.marketEvents !== undefined || marketEvents.length > 0

export function worldToWire(entry: WorldEntry): OutputOf<'getWorld'> {
  const accounts = customersOf(entry.world).map((account) => ({
    account_id: account.id,
    account_number: account.number,
    flavour: account.flavour,
    name: accountHolderName(entry.world.view, account),
  }))
  return { ...worldFields(entry), accounts }
}

export function createdToWire(
  entry: WorldEntry,
  { partnerId, partnerKey, accounts, app }: Omit<SeededWorld, 'app'> & Partial<SeededWorld>,
): OutputOf<'createWorld'> {
  return {
    ...worldFields(entry),
    accounts: accounts.map(({ account, keyId, secretKey }) => ({
      account_id: account.id,
      account_number: account.number,
      flavour: account.flavour,
      key_id: keyId,
      secret_key: secretKey,
    })),
    partner: { partner_id: partnerId, key_id: partnerKey.keyId, secret_key: partnerKey.secretKey },
    oauth_client: app && {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      redirect_uri: app.redirectUri,
    },
  }
}

/** The accounts of customers, without the custody accounts of issuers. */
export const customersOf = ({ view }: World): Account[] =>
  [...view.accounts.values()].filter(({ issuer }) => issuer === undefined)

export function clockToWire(entry: WorldEntry): OutputOf<'getWorldClock'> {
  const { world, clock } = entry
  const now = world.engine.latest
  return {
    world: world.id,
    clock: clock ? 'virtual' : 'wall',
    now: formatInstant(now),
    frozen: clock?.speed === 0,
    speed: clock?.speed ?? 1,
    is_open: settingsOf(world.view).hours === 'always' || isMarketOpen(now),
    next_open: formatInstant(nextOpenAfter(now)),
    next_close: formatInstant(nextCloseAfter(now)),
    advance: clock?.advancing && advancingToWire(clock.advancing),
  }
}

const advancingToWire = ({ from, to, until }: Advancing) => ({
  from: formatInstant(from),
  to: formatInstant(to),
  until: until as NonNullable<OutputOf<'getWorldClock'>['advance']>['until'],
})

export const advancedToWire = (world: WorldId, report: AdvanceReport): OutputOf<'advanceClock'> => ({
  world,
  from: formatInstant(report.from),
  now: formatInstant(report.now),
  frozen: report.isFrozen,
  seq: report.seq,
  events: report.events,
  orders_ended: report.ordersEnded,
  reached: report.isReached,
  stopped: report.isStopped,
})

import type { Handlers, InputOf, OutputOf } from '@quipu/contract'
import {
  format,
  formatInstant,
  type Instant,
  isMarketOpen,
  nextCloseAfter,
  nextOpenAfter,
  parseDecimal,
  settingsOf,
  type Ticker,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import type { Committed } from '../engine.ts'
import { type Furnished, furnish, issueKey } from '../furnish.ts'
import { MAIN, type Place, type Worlds } from '../worlds.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

type Names =
  | 'listWorlds'
  | 'createWorld'
  | 'getWorld'
  | 'forkWorld'
  | 'deleteWorld'
  | 'getWorldClock'
  | 'freezeClock'
  | 'advanceClock'

/** Without a start of its own a world begins here, so that the same calls give the same world on any day. */
const START = 1_767_625_200_000_000_000n as Instant // Monday 2026-01-05, 10:00 in New York
const SEED = 'quipu'
/** The longest single advance. */
const ADVANCE_MAX_NS = 366n * 86_400_000_000_000n
const ADVANCE_MAX = '366d'

export function worldHandlers(worlds: Worlds): Pick<Handlers<Context>, Names> {
  return {
    listWorlds: () => worlds.places().map(worldToWire),

    async createWorld({ body }, context) {
      const id = newName(worlds, body.world)
      const settings = settingsFrom(worlds, body)
      const start = (body.start?.nanos ?? START) as Instant
      const place = await worlds.create(id, settings, start)
      const accounts = Array.from({ length: body.accounts }, () => 'paper' as const)
      const made = await furnish(place.world, { accounts, cash: settings.startingCash })
      context.world = place.world
      return createdToWire(place, made)
    },

    getWorld: ({ params }, context) => worldToWire(placeOf(worlds, params.world, context)),

    async forkWorld({ params, body }, context) {
      const parent = placeOf(worlds, params.world, context)
      const place = await worlds.fork(parent, newName(worlds, body.world))
      context.world = place.world
      return createdToWire(place, await newKeys(place))
    },

    async deleteWorld({ params }) {
      if (params.world === MAIN) throw refuse({ code: 'mainNotDeletable' })
      if (!worlds.place(params.world)) throw refuse({ code: 'worldNotFound', world: params.world })
      await worlds.delete(params.world as WorldId)
      return undefined
    },

    getWorldClock: ({ params }, context) => clockToWire(placeOf(worlds, params.world, context)),

    freezeClock({ params }, context) {
      const place = placeOf(worlds, params.world, context)
      steerable(place).run(0)
      return clockToWire(place)
    },

    advanceClock: ({ params, body }, context) =>
      advance(placeOf(worlds, params.world, context), body, context),
  }
}

function placeOf(worlds: Worlds, name: string, context: Context): Place {
  const place = worlds.place(name)
  if (!place) throw refuse({ code: 'worldNotFound', world: name })
  context.world = place.world
  return place
}

function newName(worlds: Worlds, wanted: string | undefined): WorldId {
  if (worlds.isFull) throw refuse({ code: 'worldLimitReached', limit: worlds.most })
  if (wanted === undefined) return worlds.freshName()
  if (worlds.place(wanted)) throw refuse({ code: 'worldTaken', world: wanted })
  return wanted as WorldId
}

function settingsFrom(worlds: Worlds, body: InputOf<'createWorld'>['body']): WorldSettings {
  const known = worlds.main.market.assets()
  const unknown = body.symbols?.find((symbol) => !known.has(symbol as Ticker))
  if (unknown !== undefined) throw refuse({ code: 'assetNotFound', symbol: unknown })
  const cash = parseDecimal(body.cash)
  if (!cash.ok) throw new Error(`bug: the contract let ${body.cash} pass as a decimal`)
  return {
    seed: body.seed ?? SEED,
    hours: body.hours,
    fillSize: body.fill_size,
    latencyNs: body.latency,
    startingCash: cash.value as WorldSettings['startingCash'],
    ...(body.symbols ? { symbols: body.symbols as Ticker[] } : {}),
  }
}

/** A fork has its parent's accounts; the keys that enter it are its own. */
async function newKeys({ world }: Place): Promise<Furnished> {
  const [partner] = world.view.partners.values()
  if (!partner) throw new Error('bug: a world without a partner')
  const accounts = []
  for (const account of [...world.view.accounts.values()])
    accounts.push({ account, ...(await issueKey(world, { kind: 'account', accountId: account.id })) })
  const partnerKey = await issueKey(world, { kind: 'partner', partnerId: partner.id, operator: false })
  return { partnerId: partner.id, partnerKey, accounts }
}

function steerable({ clock }: Place) {
  if (!clock) throw refuse({ code: 'mainClockNotSteerable' })
  return clock
}

async function advance(
  place: Place,
  body: InputOf<'advanceClock'>['body'],
  context: Context,
): Promise<OutputOf<'advanceClock'>> {
  const clock = steerable(place)
  const from = place.world.latest
  const to = targetOf(from, body)
  if (to < from) throw refuse({ code: 'instantInPast', now: formatInstant(from), to: formatInstant(to) })
  if (to - from > ADVANCE_MAX_NS) throw refuse({ code: 'advanceTooLong', limit: ADVANCE_MAX })
  const { world } = place
  const events: Record<string, number> = {}
  const count = (committed: readonly Committed[]) => {
    for (const { event } of committed) events[event.kind] = (events[event.kind] ?? 0) + 1
  }
  const stop = world.listen(count)
  try {
    await clock.advance(to)
    await world.quiet()
  } finally {
    stop()
  }
  const seq = await context.saw(
    world,
    world.read((view) => view.seq),
  )
  return {
    world: world.id,
    from: formatInstant(from),
    now: formatInstant(world.latest),
    frozen: clock.speed === 0,
    seq,
    events,
  }
}

function targetOf(from: Instant, { by, to, until }: InputOf<'advanceClock'>['body']): Instant {
  if (by !== undefined) return (from + by) as Instant
  if (to !== undefined) return to.nanos as Instant
  return until === 'next_open' ? nextOpenAfter(from) : nextCloseAfter(from)
}

function worldFields({ world, clock, durable, parent }: Place) {
  const settings = settingsOf(world.view)
  return {
    world: world.id as string,
    ...(parent ? { parent: parent as string } : {}),
    durable,
    clock: clock ? ('virtual' as const) : ('wall' as const),
    frozen: clock?.speed === 0,
    now: formatInstant(world.latest),
    seed: settings.seed,
    hours: settings.hours,
    fill_size: settings.fillSize,
    latency_ms: format(settings.latencyNs * 1000n),
    starting_cash: format(settings.startingCash),
    ...(settings.symbols ? { symbols: [...settings.symbols] as string[] } : {}),
    seq: world.view.seq,
  }
}

function worldToWire(place: Place): OutputOf<'getWorld'> {
  const accounts = [...place.world.view.accounts.values()].map(({ id, number, flavour }) => ({
    account_id: id as string,
    account_number: number,
    flavour,
  }))
  return { ...worldFields(place), accounts }
}

function createdToWire(
  place: Place,
  { partnerId, partnerKey, accounts }: Furnished,
): OutputOf<'createWorld'> {
  return {
    ...worldFields(place),
    accounts: accounts.map(({ account, keyId, secretKey }) => ({
      account_id: account.id as string,
      account_number: account.number,
      flavour: account.flavour,
      key_id: keyId,
      secret_key: secretKey,
    })),
    partner: { partner_id: partnerId, key_id: partnerKey.keyId, secret_key: partnerKey.secretKey },
  }
}

function clockToWire(place: Place): OutputOf<'getWorldClock'> {
  const { world, clock } = place
  const now = world.latest
  return {
    world: world.id,
    clock: clock ? 'virtual' : 'wall',
    now: formatInstant(now),
    frozen: clock?.speed === 0,
    is_open: settingsOf(world.view).hours === 'always' || isMarketOpen(now),
    next_open: formatInstant(nextOpenAfter(now)),
    next_close: formatInstant(nextCloseAfter(now)),
  }
}

import type { Handlers, InputOf, OutputOf } from '@quipu/contract'
import {
  addedSymbolOf,
  CLOCK_END,
  DAY,
  formatInstant,
  type Instant,
  nextCloseAfter,
  nextOpenAfter,
  parseDecimal,
  type Ticker,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import { issueKey, type SeededWorld, seedWorld } from '../../access/issue-keys.ts'
import type { Library } from '../../market/library.ts'
import { refuse } from '../../wire/refusal.ts'
import { type AuditReport, auditEvents } from '../../world/audit.ts'
import type { Answer } from '../../world/engine.ts'
import type { World } from '../../world/world.ts'
import { MAIN, type WorldEntry, type Worlds } from '../../worlds/worlds.ts'
import type { Context } from '../context.ts'
import { dataOf } from './imported-data.ts'
import { marketEventsFrom } from './market-events.ts'
import { feesFrom } from './world-fees.ts'
import { clockToWire, createdToWire, customersOf, worldToWire } from './world-wire.ts'

/** Without a start of its own a world begins here, so that the same calls give the same world on any day. */
const START = 1_767_625_200_000_000_000n as Instant // Monday 2026-01-05, 10:00 in New York
const SEED = 'quipu'

export type WorldsSettings = {
  readonly advanceMaxDays: number
  /** Imported data, where there is a data folder. */
  readonly library?: Library | undefined
  /** What a network outside says that the books do not. */
  readonly chainFaults?: (world: World) => Promise<readonly string[]>
}

export const worldHandlers = (
  worlds: Worlds,
  { advanceMaxDays, library, chainFaults }: WorldsSettings,
): Handlers<Context, LifecycleNames | ClockNames | CheckNames> => ({
  ...lifecycleHandlers(worlds, library),
  ...clockHandlers(worlds, advanceMaxDays),
  ...checkHandlers(worlds, chainFaults),
})

type LifecycleNames = 'listWorlds' | 'createWorld' | 'getWorld' | 'forkWorld' | 'deleteWorld'

const lifecycleHandlers = (
  worlds: Worlds,
  library: Library | undefined,
): Handlers<Context, LifecycleNames> => ({
  listWorlds: () => worlds.entries().map(worldToWire),

  async createWorld({ body }, context) {
    const settings = settingsFrom(worlds, library, body)
    if (settings.importedData) await library!.check(body.world ?? '', settings.importedData)
    const id = newName(worlds, body.world)
    const start = (body.start?.nanos ?? START) as Instant
    const place = await worlds.create(id, settings, start)
    const accounts = Array.from({ length: body.accounts }, () => 'paper' as const)
    const made = await seedWorld(place.world, { accounts, cash: settings.startingCash })
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
    if (!worlds.entry(params.world)) throw refuse({ code: 'worldNotFound', world: params.world })
    await worlds.delete(params.world as WorldId)
    return undefined
  },
})

type ClockNames = 'getWorldClock' | 'freezeClock' | 'runClock' | 'advanceClock'

const clockHandlers = (worlds: Worlds, advanceMaxDays: number): Handlers<Context, ClockNames> => ({
  getWorldClock: ({ params }, context) => clockToWire(placeOf(worlds, params.world, context)),

  async freezeClock({ params }, context) {
    const place = placeOf(worlds, params.world, context)
    await virtualClock(place).freeze()
    return clockToWire(place)
  },

  runClock({ params, body }, context) {
    const place = placeOf(worlds, params.world, context)
    const clock = virtualClock(place)
    if (place.world.latest >= CLOCK_END) throw clockEnd()
    clock.run(Number(body.speed))
    return clockToWire(place)
  },

  async advanceClock({ params, body }, context) {
    const place = placeOf(worlds, params.world, context)
    const to = targetOf(place, body, advanceMaxDays)
    return context.resultOf(place.world, advance(place, to))
  },
})

type CheckNames = 'readAudit' | 'getJournalHead'

const checkHandlers = (
  worlds: Worlds,
  chainFaults: WorldsSettings['chainFaults'],
): Handlers<Context, CheckNames> => ({
  async readAudit({ params }, context) {
    const { world } = placeOf(worlds, params.world, context)
    const report = await audit(world)
    context.seq = report.seq
    const problems = [...report.problems, ...((await chainFaults?.(world)) ?? [])]
    return { world: world.id, ...report, sound: problems.length === 0, problems }
  },

  getJournalHead({ params }, context) {
    const { world, durable } = placeOf(worlds, params.world, context)
    const head = world.journal.head()
    context.seq = head.seq
    return { world: world.id, durable, ...head }
  },
})

function placeOf(worlds: Worlds, name: string, context: Context): WorldEntry {
  const place = worlds.entry(name)
  if (!place) throw refuse({ code: 'worldNotFound', world: name })
  context.world = place.world
  return place
}

function newName(worlds: Worlds, wanted: string | undefined): WorldId {
  if (worlds.isFull) throw refuse({ code: 'worldLimitReached', limit: worlds.worldsMax })
  if (wanted === undefined) return worlds.unusedName()
  if (worlds.isTaken(wanted)) throw refuse({ code: 'worldNameTaken', world: wanted })
  return wanted as WorldId
}

function settingsFrom(
  worlds: Worlds,
  library: Library | undefined,
  body: InputOf<'createWorld'>['body'],
): WorldSettings {
  if (body.market === 'replay' && body.market_events)
    throw refuse({ code: 'replayMarketFixed', world: body.world ?? '' })
  const known = worlds.main.market.assets()
  const cash = parseDecimal(body.cash)
  if (!cash.ok) throw new Error(`bug: the contract let ${body.cash} pass as a decimal`)
  return {
    seed: body.seed ?? SEED,
    hours: body.hours,
    fillSize: body.fill_size,
    latencyNs: body.latency,
    startingCash: cash.value as WorldSettings['startingCash'],
    fees: feesFrom(body.fees),
    ...(body.market === 'replay'
      ? {
          market: 'replay',
          importedData: dataOf(library, body.symbols),
          ...(body.symbols && { symbols: body.symbols as readonly Ticker[] }),
        }
      : symbolsFrom(body.symbols, (symbol) => known.has(symbol))),
    ...(body.market_events && { marketEvents: marketEventsFrom(body.market_events) }),
  }
}

/** A fork has its parent's accounts; the keys that enter it are its own. */
async function newKeys({ world }: WorldEntry): Promise<Omit<SeededWorld, 'app'>> {
  const [partner] = world.view.partners.values()
  if (!partner) throw new Error('bug: a world without a partner')
  const accounts = []
  for (const account of customersOf(world))
    accounts.push({ account, ...(await issueKey(world, { kind: 'account', accountId: account.id })) })
  const partnerKey = await issueKey(world, { kind: 'partner', partnerId: partner.id, operator: false })
  return { partnerId: partner.id, partnerKey, accounts }
}

function virtualClock({ clock }: WorldEntry) {
  if (!clock) throw refuse({ code: 'mainClockNotAdjustable' })
  return clock
}

function targetOf(
  place: WorldEntry,
  { by, to, until }: InputOf<'advanceClock'>['body'],
  advanceMaxDays: number,
): Instant {
  virtualClock(place)
  const from = place.world.latest
  const upcoming = until === 'next_open' ? nextOpenAfter(from) : nextCloseAfter(from)
  const target =
    by !== undefined ? ((from + by) as Instant) : ((to?.nanos as Instant | undefined) ?? upcoming)
  if (target < from)
    throw refuse({ code: 'instantInPast', now: formatInstant(from), to: formatInstant(target) })
  if (target - from > BigInt(advanceMaxDays) * DAY)
    throw refuse({ code: 'advanceTooLong', limit: `${advanceMaxDays}d` })
  if (target > CLOCK_END) throw clockEnd()
  return target
}

const clockEnd = () => refuse({ code: 'clockEndReached', end: formatInstant(CLOCK_END) })

/** Moves the clock and counts what happened on the way; done when all of it is durable and was carried on. */
async function advance(place: WorldEntry, to: Instant): Promise<Answer<OutputOf<'advanceClock'>>> {
  const { world } = place
  const from = world.latest
  const events: Record<string, number> = {}
  const stop = world.listen((committed) => {
    for (const { event } of committed) events[event.kind] = (events[event.kind] ?? 0) + 1
  })
  try {
    await virtualClock(place).advance(to)
  } finally {
    stop()
  }
  return world.read(({ seq }) => ({
    world: world.id,
    from: formatInstant(from),
    now: formatInstant(world.latest),
    frozen: place.clock?.speed === 0,
    seq,
    events,
  }))
}

/** Memory is compared as well where nothing is under way. */
async function audit(world: World): Promise<AuditReport> {
  await world.quiet()
  const { seq, hash } = world.journal.head()
  const isStill = world.view.seq === seq
  const ledger = new Map([...world.view.ledger].map(([name, holdings]) => [name, new Map(holdings)]))
  return auditEvents(world.journal.read(0), { seq, hash, ...(isStill ? { ledger } : {}) })
}

/**
 * The symbols of a new world: it has these alone. Those that are not listed anyway, or have a price of their own, are
 * listed for it.
 */
export function symbolsFrom(
  given: readonly string[] | undefined,
  isListed: (symbol: Ticker) => boolean,
): Pick<WorldSettings, 'symbols' | 'added'> {
  if (given === undefined) return {}
  const wanted = given.map((text) => {
    if (isListed(text as Ticker)) return { symbol: text as Ticker }
    const read = addedSymbolOf(text)
    if (read.ok) return read.value
    if (read.reason === 'badPrice') throw refuse({ code: 'assetPriceInvalid' })
    throw refuse({ code: 'assetSymbolInvalid', symbol: text })
  })
  const added = wanted.filter((one) => 'price' in one || !isListed(one.symbol))
  return { symbols: wanted.map(({ symbol }) => symbol), ...(added.length > 0 && { added }) }
}

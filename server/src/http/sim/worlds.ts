import { type SeededWorld, seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { wallNow } from '@quipu/broker/clock/wall.ts'
import type { Library } from '@quipu/broker/market/library.ts'
import { firstForkInstant } from '@quipu/broker/registry/fork.ts'
import { keep } from '@quipu/broker/registry/temporary.ts'
import { ledgerOf } from '@quipu/broker/registry/world-response.ts'
import { MAIN, type WorldEntry, type Worlds } from '@quipu/broker/registry/worlds.ts'
import { type AuditReport, auditEvents } from '@quipu/broker/world/audit/audit.ts'
import { auditInThread } from '@quipu/broker/world/audit/audit-in-thread.ts'
import { pendingIn } from '@quipu/broker/world/audit/transits.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { ANY_SYMBOL, type InputOf } from '@quipu/contract'
import {
  addedSymbolOf,
  builtInListing,
  checkListing,
  customOf,
  definedFields,
  formatInstant,
  type Instant,
  instantOfNanos,
  missing,
  type Ticker,
  tickerOf,
  toMoney,
  type WorldSettings,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { auditToWire } from '../../wire/audit-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { isLive } from '../reading/formats.ts'
import { clockHandlers } from './clock.ts'
import { descriptionHandlers } from './descriptions.ts'
import { dataOf } from './imported-data.ts'
import { marketEventsFrom } from './market.ts'
import { describe, newDescription } from './world/description.ts'
import { refuseIfFollowed, withFollowedMarket } from './world/followed-worlds.ts'
import { rememberAudit } from './world/last-audits.ts'
import { allWorlds, worldsStream } from './world/live-worlds.ts'
import { checkDurable, creationOf, type NewKeys, newKeys, newName } from './world/new-world.ts'
import { feesFrom } from './world/world-fees.ts'
import { pricesFrom } from './world/world-prices.ts'
import { marginFrom, venueFrom } from './world/world-venue.ts'
import { createdToWire, worldToWire } from './world/world-wire.ts'
import { worldFileHandlers } from './world-files.ts'
import { entryOf } from './world-named.ts'

/** The default start of a world, fixed so that the same requests give the same world on any day. */
const START = instantOfNanos(1_767_625_200_000_000_000n) // Monday 2026-01-05, 10:00 in New York
const SEED = 'quipu'

export type WorldsSettings = {
  readonly advanceMaxDays: number
  readonly branchKeptMs: number
  /** Imported data; absent without a data folder. */
  readonly library?: Library | undefined
  /** Differences between the ledger and a real chain. */
  readonly chainFaults?: (world: World) => Promise<readonly string[]>
}

export const worldHandlers = (
  worlds: Worlds,
  { advanceMaxDays, branchKeptMs, library, chainFaults }: WorldsSettings,
) => ({
  ...listHandlers(worlds),
  ...createHandlers(worlds, library),
  ...lifecycleHandlers(worlds, branchKeptMs),
  ...descriptionHandlers(worlds),
  ...worldFileHandlers(worlds, library),
  ...clockHandlers(worlds, advanceMaxDays),
  ...checkHandlers(worlds, chainFaults),
})

const listHandlers = (worlds: Worlds) =>
  ({
    listWorlds: async (_, context) =>
      isLive(context) ? worldsStream(context, worlds) : allWorlds(context, worlds),

    getWorld: ({ params }, context) => worldToWire(entryOf(worlds, params.world, context)),
  }) satisfies SomeHandlers

const createHandlers = (worlds: Worlds, library: Library | undefined) =>
  ({
    async createWorld({ body }, context) {
      const settings = await withFollowedMarket(worlds, body, settingsFrom(library, body))
      if (settings.importedData?.length) await library?.check(body.world ?? '', settings.importedData)
      await checkDurable(context, worlds, body.durable)
      const id = newName(worlds, body.world, body.durable)
      const accounts = Array.from({ length: body.accounts }, () => 'paper' as const)
      let seeded: SeededWorld | undefined
      const complete = async (world: World) => {
        seeded = await seedWorld(world, { accounts, cash: settings.startingCash })
      }
      const creation = creationOf(worlds, context, body.durable)
      const { start, isWall } = clockFrom(body)
      const entry = await worlds.lifecycle.create(id, settings, start, { complete, isWall, ...creation })
      context.state.world = entry.world
      return createdToWire(entry, seeded ?? missing('the keys'))
    },
  }) satisfies SomeHandlers

const lifecycleHandlers = (worlds: Worlds, branchKeptMs: number) =>
  ({
    async forkWorld({ params, body }, context) {
      const parent = entryOf(worlds, params.world, context)
      const at = body.at && (await forkInstant(parent, instantOf(body.at)))
      let keys: NewKeys | undefined
      const complete = async (world: World) => {
        keys = await newKeys(world)
        await describe(world, newDescription(body, branchKeptMs))
      }
      await checkDurable(context, worlds, body.durable)
      const id = newName(worlds, body.world, body.durable)
      const creation = creationOf(worlds, context, body.durable)
      await keep(parent)
      const entry = await worlds.lifecycle.fork(parent, id, { at, complete, ...creation })
      context.state.world = entry.world
      return createdToWire(entry, keys ?? missing('the keys'))
    },

    async resetWorld({ params }, context) {
      const { origin, ...entry } = entryOf(worlds, params.world, context)
      if (!origin || !entry.clock) throw refuse({ code: 'mainNotResettable' })
      await refuseIfFollowed(worlds, params.world, context)
      // A reset removes the events that show that a temporary fork was used.
      await keep(entry)
      const reset = await worlds.lifecycle.reset({ ...entry, origin })
      context.state.world = reset.world
      return worldToWire(reset)
    },

    async deleteWorld({ params }, context) {
      if (params.world === MAIN) throw refuse({ code: 'mainNotDeletable' })
      if (!worlds.names.has(params.world)) throw refuse({ code: 'worldNotFound', world: params.world })
      await refuseIfFollowed(worlds, params.world, context)
      await worlds.lifecycle.delete(params.world)
    },
  }) satisfies SomeHandlers

/** The clock of a new world and its first time. */
const clockFrom = ({ clock, start }: InputOf<'createWorld'>['body']) =>
  clock === 'wall' ? { isWall: true, start: wallNow() } : { isWall: false, start: start?.nanos ?? START }

/** Refuses an instant at which the world did not exist. */
async function forkInstant(parent: WorldEntry, at: Instant): Promise<Instant> {
  const [from, to] = [await firstForkInstant(parent), parent.world.engine.latest]
  if (from !== undefined && from <= at && at <= to) return at
  const range =
    from === undefined
      ? 'none: the world has no account'
      : `an instant from ${formatInstant(from)} to ${formatInstant(to)}`
  throw refuse({
    code: 'invalidParameter',
    problem: `at: expected ${range}, received ${formatInstant(at)}`,
  })
}

const checkHandlers = (worlds: Worlds, chainFaults: WorldsSettings['chainFaults']) =>
  ({
    async readAudit({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      const { world } = entry
      const report = await audit(world)
      context.state.seq = report.seq
      const problems = [...report.problems, ...((await chainFaults?.(world)) ?? [])]
      const of = { world: world.id, ledger_id: ledgerOf(entry) }
      const result = { ...of, ...auditToWire(report), sound: problems.length === 0, problems }
      rememberAudit(world, { ...result, transits: pendingIn(report.transits) })
      return result
    },

    getJournalHead({ params }, context) {
      const { world, durable } = entryOf(worlds, params.world, context)
      const head = world.storage.journal.head()
      context.state.seq = head.seq
      return { world: world.id, durable, ...head }
    },
  }) satisfies SomeHandlers

function settingsFrom(library: Library | undefined, body: InputOf<'createWorld'>['body']): WorldSettings {
  if (body.market === 'replay' && body.market_events)
    throw refuse({ code: 'replayMarketFixed', world: body.world ?? '' })
  const known = builtInListing().assets
  return {
    seed: body.seed ?? SEED,
    hours: body.hours,
    fillSize: body.fill_size,
    latencyNs: body.latency,
    startingCash: toMoney(amountOf(body.cash)),
    fees: feesFrom(body.fees),
    ...(body.market === 'replay'
      ? {
          market: 'replay',
          importedData: body.prices && !listedIn(body.symbols) ? [] : dataOf(library, listedIn(body.symbols)),
          ...definedFields({ symbols: listedIn(body.symbols) }),
        }
      : symbolsFrom(withPrices(body), (symbol) => known.has(symbol))),
    ...definedFields({
      marketSeed: body.market_seed,
      marketEvents: body.market_events && marketEventsFrom(body.market_events),
      prices: body.prices && pricesFrom(body.prices),
      venue: body.venue && venueFrom(body.venue),
      margin: body.margin && marginFrom(body.margin),
    }),
  }
}

/** The listed symbols and those with a price path, which a world with any other symbol has too. */
function withPrices({ symbols, prices = {} }: InputOf<'createWorld'>['body']): readonly string[] | undefined {
  if (!symbols || symbols.some((one) => one === ANY_SYMBOL)) return symbols
  const isListed = (symbol: string): boolean => symbols.some((one) => one.split(':')[0] === symbol)
  return [...symbols, ...Object.keys(prices).filter((symbol) => !isListed(symbol))]
}

/** Also compares the ledger in memory, if no command is in progress. */
async function audit(world: World): Promise<AuditReport> {
  await world.commands.quiet()
  const { seq, hash } = world.storage.journal.head()
  const isIdle = world.view.seq === seq
  const ledger = new Map([...world.view.ledger].map(([name, holdings]) => [name, new Map(holdings)]))
  const expected = { seq, hash, ledger: isIdle ? ledger : undefined }
  const { source } = world.storage.journal
  // After an error in the thread, the same audit here gives the error of the response.
  return (
    (source && (await auditInThread({ source, expected }))) ??
    auditEvents(world.storage.journal.read(0), expected)
  )
}

/** A replay world lists nothing on first use. */
function listedIn(symbols: readonly Ticker[] | undefined): readonly Ticker[] | undefined {
  const listed = symbols?.filter((symbol) => symbol !== ANY_SYMBOL)
  return listed?.length === 0 && symbols?.length !== 0 ? undefined : listed
}

/**
 * The symbols of a new world, which has no others, unless one of the words is `any`. A symbol that is not in the default list, or that has its own
 * price, is added to the world.
 */
export function symbolsFrom(
  texts: readonly string[] | undefined,
  isListed: (symbol: Ticker) => boolean,
): Pick<WorldSettings, 'symbols' | 'added' | 'anySymbol'> {
  if (texts === undefined) return {}
  const isAny = texts.includes(ANY_SYMBOL)
  const named = texts.filter((text) => text !== ANY_SYMBOL)
  const symbols = named.map((text) => {
    if (isListed(tickerOf(text))) return { symbol: tickerOf(text) }
    const parsed = addedSymbolOf(text)
    const checked = parsed.ok ? checkListing(customOf(parsed.value)) : parsed
    if (parsed.ok && checked.ok) return parsed.value
    if (!checked.ok && checked.reason === 'badPrice') throw refuse({ code: 'assetPriceInvalid' })
    throw refuse({ code: 'assetSymbolInvalid', symbol: text })
  })
  const added = symbols.filter((one) => 'price' in one || !isListed(one.symbol))
  return {
    ...(isAny ? { anySymbol: true } : { symbols: symbols.map(({ symbol }) => symbol) }),
    ...definedFields({ added: added.length > 0 ? added : undefined }),
  }
}

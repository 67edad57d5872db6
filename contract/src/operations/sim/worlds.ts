import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  decimalText,
  duration,
  integer,
  isPositive,
  type MomentText,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { Custody } from '../tokenization/issuers.ts'
import { fees, newFees } from './fees.ts'
import { Margin, newMargin } from './margin.ts'
import { MarketEventShape, NewMarketEvent } from './market.ts'
import { newPrices } from './prices.ts'
import { newVenue, VenueShape } from './venue.ts'
import { accountName, ofWorld, operatorOnly, seed, worldName, worldTexts } from './world-param.ts'

/** Among the symbols of a world: list unknown ones on first use. */
export const ANY_SYMBOL = 'any'

const accountSummary = {
  account_id: uuid(),
  account_number: text(),
  flavour: oneOf('paper', 'live'),
}

const worldFields = {
  world: worldName(),
  title: optional(text()).about('What people call it. The name stays.'),
  note: optional(text()),
  parent: optional(worldName()).about('World that it was forked from.'),
  forked_at: optional(timestamp()).about('Instant of the fork, by the clock of the world.'),
  forked_seq: optional(integer()).about('Last event that it shares with its parent.'),
  expires_at: optional(timestamp()).about(
    'Real time at which a temporary fork is deleted. Absent: the world is kept, such as a temporary fork that was used.',
  ),
  durable: bool(),
  clock: oneOf('wall', 'virtual'),
  frozen: bool(),
  now: timestamp(),
  seed: text(),
  market_seed: optional(text()).about('Seed of the generated market. Absent: `seed`.'),
  follows: optional(worldName()).about('World whose market it follows.'),
  hours: oneOf('always', 'nyse'),
  fill_size: oneOf('unlimited', 'displayed'),
  latency_ms: decimalText(),
  starting_cash: decimalText(),
  fees: fees().about('us: US fees by date. none: no fees. Otherwise custom rows.'),
  symbols: optional(array(text())).about(
    'Only these symbols. With `any`: all symbols of the market, these, and others on first use. Absent: all symbols of the market.',
  ),
  market: oneOf('synthetic', 'replay'),
  prices: optional(array(text())).about('Symbols with a price path.'),
  market_events: optional(array(MarketEventShape)).about(
    'Market events, without removed ones. Absent: none.',
  ),
  margin: optional(Margin).about('Margin interest and margin calls. Absent: none.'),
  venue: optional(VenueShape).about('Delays, rejections and fill models of the market. Absent: none.'),
  seq: integer().about('Number of events in the journal.'),
}

export const WorldShape = record({
  ...worldFields,
  accounts: array(record({ ...accountSummary, name: accountName() })),
}).named('World')

const keyPair = { key_id: text(), secret_key: text() }

export const CreatedWorld = record({
  ...worldFields,
  accounts: array(record({ ...accountSummary, ...keyPair })).about(
    'Each account has a new key. Secrets are shown once.',
  ),
  partner: record({ partner_id: uuid(), ...keyPair }).about('Credential for /v1 of this world.'),
  oauth_client: optional(record({ client_id: text(), client_secret: text(), redirect_uri: text() })).about(
    'App for tests of the code flow.',
  ),
}).named('CreatedWorld')

/** One side of a journal between two worlds. */
const Transit = record({
  id: text().about('The transit_id of the journal.'),
  direction: oneOf('out', 'in'),
  world: optional(worldName()).about('The other world. Absent for a refused journal.'),
  status: oneOf('pending', 'executed', 'rejected'),
  asset: optional(text()),
  amount: optional(decimalText()).about('What the postings moved to or from the other world.'),
  ledger: optional(text()).about('The ledger that received the journal.'),
}).named('Transit')

export const Audit = record({
  world: worldName(),
  sound: bool(),
  seq: integer(),
  hash: text().about('SHA-256 over the events of the journal.'),
  postings: integer(),
  balances: integer().about('Number of balances recalculated from postings.'),
  problems: array(text()),
  tokenization: array(Custody).about('Custody by issuer and share.'),
  ledger_id: optional(text()).about('Id of the ledger of a durable world. A reset begins a new one.'),
  transits: array(Transit).about('Journals to and from other worlds.'),
}).named('Audit')

export const JournalHead = record({
  world: worldName(),
  durable: bool().about('The journal survives a restart of the process.'),
  seq: integer().about('Last stored event.'),
  hash: text().about('SHA-256 over the events up to seq.'),
}).named('JournalHead')

/** The years of the trading calendar. */
const isInCalendar = ({ nanos }: MomentText): boolean => nanos >= 0n && nanos < nanosOf2050
const nanosOf2050 = 2_524_608_000_000_000_000n

export const NewWorldShape = record({
  world: optional(worldName()).about('Default: a generated name.'),
  seed: optional(seed()).about('The same seed and the same calls produce the same world.'),
  market_seed: optional(seed()).about(
    'Seed of the generated market: worlds with the same one have the same prices and different ids. Default: `seed`.',
  ),
  start: optional(moment().where(isInCalendar, 'start: expected an instant from 1970 to 2049')).about(
    'Initial time of the clock.',
  ),
  hours: withDefault(oneOf('always', 'nyse'), 'always').about(
    'always: open at all times. nyse: New York sessions.',
  ),
  symbols: optional(array(text({ min: 1, max: 60, example: 'RIVN:14' }), { max: 1000 })).about(
    'Only these symbols. A symbol that the market lacks is created, at the price after the colon if given. ' +
      'With `any`, the world has all symbols and these, and lists any other US ticker when a program first names it.',
  ),
  market_events: optional(array(NewMarketEvent, { max: 1000 })).about('Market events of the new world.'),
  market: withDefault(oneOf('synthetic', 'replay'), 'synthetic').about(
    'synthetic: generated prices. replay: only imported data, as it is now, and `prices`.',
  ),
  prices: optional(newPrices()).about(
    'Prices by symbol: straight lines between points of one day. After the last day, generated prices continue from there.',
  ),
  fill_size: withDefault(oneOf('unlimited', 'displayed'), 'unlimited').about(
    'How much one quote fills: unlimited, or its displayed size.',
  ),
  latency: withDefault(duration(), 0n).about(
    'Time from the acceptance of an order until it reaches the market.',
  ),
  margin: optional(newMargin()).about('Margin interest and margin calls. Default: none.'),
  venue: optional(newVenue()).about('Delays, rejections and fill models of the market. Default: none.'),
  fees: withDefault(newFees(), 'us').about('us (US fees by date), none, or custom rows.'),
  cash: withDefault(decimal({ decimals: 2 }).where(isPositive, 'cash must be > 0'), '100000').about(
    'Starting cash of each account, in dollars.',
  ),
  accounts: withDefault(integer({ min: 1, max: 100 }), 1).about('Number of accounts.'),
  durable: withDefault(bool(), false).about('Keep the world across restarts of the server.'),
  clock: withDefault(oneOf('virtual', 'wall'), 'virtual').about(
    'virtual: the clock moves only when it is moved. wall: real time, as in `main`; needs `durable`, and takes no `start`.',
  ),
  follows: optional(worldName()).about(
    'Durable world, or `main`, whose market the world has: the same prices, and a copy of each later change. Needs `durable` and the same kind of clock.',
  ),
})
  .named('NewWorld')
  .refine((body) => {
    const { clock, durable, start, follows } = body
    if (clock === 'wall' && !durable)
      return { field: 'clock', message: 'expected durable: true with clock: wall' }
    if (clock === 'wall' && start !== undefined)
      return { field: 'start', message: 'expected no start with clock: wall' }
    if (follows === undefined) return undefined
    if (!durable) return { field: 'follows', message: 'expected durable: true with follows' }
    const field = ofMarket.find((name) => body[name] !== undefined)
    return field && { field, message: `expected no ${field} with follows: the market is that of ${follows}` }
  })

/** The settings of a market that a following world has from the followed one. */
const ofMarket = ['market_seed', 'symbols', 'market_events', 'prices'] as const

/** Refusals of a new world because of its name or a limit on worlds. */
export const newNameErrors = [
  'invalidParameter',
  'worldNameTaken',
  'worldLimitReached',
  'durableLimitReached',
  'worldCodesUsed',
  'nothingDurable',
] as const

/** Refusals of a new world because of its settings. */
export const newWorldErrors = [
  ...newNameErrors,
  'replayMarketFixed',
  'dataNotFound',
  'dataUnreadable',
  'assetNotFound',
  'assetSymbolInvalid',
  'assetPriceInvalid',
  'marketEventInvalid',
  'worldNotFound',
] as const

export const worlds = {
  listWorlds: operation('GET /sim/v1/worlds', operatorOnly, {
    summary:
      'List worlds, main first. As an event stream: also new, changed and deleted worlds and their clocks.',
    output: array(WorldShape),
    also: ['text/event-stream'],
    errors: ['eventStreamsFull'],
  }),
  createWorld: operation('POST /sim/v1/worlds', operatorOnly, {
    bodySize: 'large',
    needsSim: true,
    summary: 'Create a world with its own accounts and keys. Its clock starts frozen.',
    body: NewWorldShape,
    output: CreatedWorld,
    status: 201,
    errors: newWorldErrors,
  }),
  getWorld: operation('GET /sim/v1/worlds/{world}', ofWorld, {
    summary: 'Get a world.',
    output: WorldShape,
  }),
  forkWorld: operation('POST /sim/v1/worlds/{world}/fork', ofWorld, {
    needsSim: true,
    summary: 'Fork a world, now or at a past instant: create a world with the same past and new keys.',
    body: record({
      world: optional(worldName()),
      at: optional(moment()).about(
        'Past instant of the world: the fork has only the events until then, and its clock starts there. Default: now.',
      ),
      durable: withDefault(bool(), false).about('Keep the fork across restarts of the server.'),
      temporary: withDefault(bool(), false).about(
        'Delete the fork after a while (setting `branchKeptMs`, default 1 hour of real time), unless it was used: an event, a fault rule, a move of its clock, a reset, a fork of it, or a world that follows it.',
      ),
      ...worldTexts,
    }).named('Fork'),
    output: CreatedWorld,
    status: 201,
    errors: [...newNameErrors, 'worldNotFound'],
  }),
  resetWorld: operation('POST /sim/v1/worlds/{world}/reset', ofWorld, {
    needsSim: true,
    summary: 'Reset a world to its creation. Settings, accounts and keys stay. Streams are closed.',
    output: WorldShape,
    errors: ['worldNotFound', 'mainNotResettable', 'worldFollowed'],
  }),
  deleteWorld: operation('DELETE /sim/v1/worlds/{world}', ofWorld, {
    needsSim: true,
    summary: 'Delete a world.',
    errors: ['worldNotFound', 'mainNotDeletable', 'worldFollowed'],
  }),
  readAudit: operation('GET /sim/v1/worlds/{world}/audit', ofWorld, {
    summary: 'Recalculate every balance from its postings and verify the hash chain.',
    output: Audit,
  }),
  getJournalHead: operation('GET /sim/v1/worlds/{world}/journal', ofWorld, {
    summary: 'Get the last event number and hash of the journal, to verify a copy of its files.',
    output: JournalHead,
  }),
}

import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  decimalText,
  duration,
  integer,
  isPositive,
  type Moment,
  map,
  moment,
  number,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { fees, newFees } from './fees.ts'
import { MarketEvent, NewMarketEvent } from './market-events.ts'
import { seed, worldName, worldParam } from './world-param.ts'

/** What an issuer keeps of a share, and the tokens it is for. */
export const Custody = record({
  issuer: text(),
  underlying_symbol: text(),
  custody: text().about('Shares in its accounts: behind all tokens, those in flight included.'),
  multiplier: text().about('Shares behind one token, as a fraction. Splits change it.'),
  in_flight: text().about('Tokens of mints whose shares have moved, and which do not exist yet.'),
  tokens: map(text()).about('Minted and not redeemed, by network.'),
}).named('Custody')

const accountSummary = {
  account_id: uuid(),
  account_number: text(),
  flavour: oneOf('paper', 'live'),
}

const worldFields = {
  world: worldName(),
  parent: optional(worldName()).about('The world it was forked from.'),
  durable: bool(),
  clock: oneOf('wall', 'virtual'),
  frozen: bool(),
  now: timestamp(),
  seed: text(),
  hours: oneOf('always', 'nyse'),
  fill_size: oneOf('unlimited', 'displayed'),
  latency_ms: decimalText(),
  starting_cash: decimalText(),
  fees: fees().about('us: as in the United States, by date. Else rows of its own.'),
  symbols: optional(array(text())).about('Only these; all of the market when absent.'),
  market: oneOf('synthetic', 'replay'),
  market_events: optional(array(MarketEvent)),
  seq: integer().about('How many events its journal holds.'),
}

export const World = record({ ...worldFields, accounts: array(record(accountSummary)) }).named('World')

const keyPair = { key_id: text(), secret_key: text() }

export const CreatedWorld = record({
  ...worldFields,
  accounts: array(record({ ...accountSummary, ...keyPair })).about(
    'Each with a new key; secrets are shown once.',
  ),
  partner: record({ partner_id: uuid(), ...keyPair }).about('The credential for /v1 of this world.'),
  oauth_client: optional(record({ client_id: text(), client_secret: text(), redirect_uri: text() })).about(
    'An app to try the code flow with.',
  ),
}).named('CreatedWorld')

export const WorldClock = record({
  world: worldName(),
  clock: oneOf('wall', 'virtual'),
  now: timestamp(),
  frozen: bool(),
  speed: number().about('How fast it runs: 1 as life does, 0 not at all.'),
  is_open: bool(),
  next_open: timestamp(),
  next_close: timestamp(),
}).named('WorldClock')

export const Advanced = record({
  world: worldName(),
  from: timestamp(),
  now: timestamp(),
  frozen: bool(),
  seq: integer(),
  events: map(integer()).about('How many events of each kind the advance caused.'),
}).named('Advanced')

export const Audit = record({
  world: worldName(),
  sound: bool(),
  seq: integer(),
  hash: text().about('SHA-256 over the events of the journal.'),
  postings: integer(),
  balances: integer().about('How many balances were recomputed from postings.'),
  problems: array(text()),
  tokenization: array(Custody).about('Of each issuer and share.'),
}).named('Audit')

export const JournalHead = record({
  world: worldName(),
  durable: bool().about('Whether its journal outlives the process.'),
  seq: integer().about('The last event that is stored.'),
  hash: text().about('SHA-256 over the events up to it.'),
}).named('JournalHead')

const inWorld = record(worldParam)

/** The years of the trading calendar. */
const isInCalendar = ({ nanos }: Moment): boolean => nanos >= 0n && nanos < nanosOf2050
const nanosOf2050 = 2_524_608_000_000_000_000n

const newWorld = record({
  world: optional(worldName()).about('Made up when left out.'),
  seed: optional(seed()).about('The same seed and the same calls give the same world.'),
  start: optional(moment().where(isInCalendar, 'start: expected an instant from 1970 to 2049')).about(
    'The instant its clock begins at.',
  ),
  hours: withDefault(oneOf('always', 'nyse'), 'always'),
  symbols: optional(array(text({ min: 1, max: 60, example: 'RIVN:14' }), { max: 1000 })).about(
    'Only these. One that the market lacks is made, at the price behind its colon if there is one.',
  ),
  market_events: optional(array(NewMarketEvent, { max: 1000 })).about('Market events of the new world.'),
  market: withDefault(oneOf('synthetic', 'replay'), 'synthetic').about(
    'replay: imported data alone, as it is now. synthetic: generated prices.',
  ),
  fill_size: withDefault(oneOf('unlimited', 'displayed'), 'unlimited'),
  latency: withDefault(duration(), 0n).about('From the acceptance of an order until the market has it.'),
  fees: withDefault(newFees(), 'us').about(
    'What fills cost: us (as in the United States, by date), none, or rows of its own.',
  ),
  cash: withDefault(decimal({ places: 2 }).where(isPositive, 'cash must be > 0'), '100000'),
  accounts: withDefault(integer({ min: 1, max: 100 }), 1),
}).named('NewWorld')

const advance = record({
  by: optional(duration()),
  to: optional(moment()),
  until: optional(oneOf('next_open', 'next_close')),
})
  .refine((given) => {
    const ways = [given.by, given.to, given.until].filter((way) => way !== undefined).length
    return ways === 1 ? undefined : { field: 'by', message: 'give exactly one of by, to or until' }
  })
  .named('Advance')

const SPEED_MAX = 100_000
const isSpeed = (value: string): boolean => Number(value) > 0 && Number(value) <= SPEED_MAX

const moving = ['invalidParameter', 'worldNotFound', 'mainClockNotAdjustable', 'clockEndReached'] as const

const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const

export const worlds = {
  listWorlds: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds',
    summary: 'All worlds, main first.',
    output: array(World),
    status: 200,
    errors: [],
  }),
  createWorld: operation({
    ...shared,
    needsSim: true,
    method: 'POST',
    path: '/sim/v1/worlds',
    summary: 'Makes a world with accounts and keys of its own. Its clock stands still at its start.',
    body: newWorld,
    output: CreatedWorld,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNameTaken',
      'worldLimitReached',
      'replayMarketFixed',
      'dataNotFound',
      'dataUnreadable',
      'assetNotFound',
      'assetSymbolInvalid',
      'assetPriceInvalid',
      'marketEventInvalid',
    ],
  }),
  getWorld: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}',
    summary: 'One world.',
    params: inWorld,
    output: World,
    status: 200,
    errors: ['worldNotFound'],
  }),
  forkWorld: operation({
    ...shared,
    needsSim: true,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/fork',
    summary: 'Makes a world that begins as this one is now, with new keys.',
    params: inWorld,
    body: record({ world: optional(worldName()) }).named('Fork'),
    output: CreatedWorld,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'worldNameTaken', 'worldLimitReached'],
  }),
  deleteWorld: operation({
    ...shared,
    needsSim: true,
    method: 'DELETE',
    path: '/sim/v1/worlds/{world}',
    summary: 'Throws a world away.',
    params: inWorld,
    status: 204,
    errors: ['worldNotFound', 'mainNotDeletable'],
  }),
  getWorldClock: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/clock',
    summary: 'What time it is there.',
    params: inWorld,
    output: WorldClock,
    status: 200,
    errors: ['worldNotFound'],
  }),
  freezeClock: operation({
    ...shared,
    needsSim: true,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/clock/freeze',
    summary: 'Stops the clock where it is.',
    params: inWorld,
    output: WorldClock,
    status: 200,
    errors: ['worldNotFound', 'mainClockNotAdjustable'],
  }),
  runClock: operation({
    ...shared,
    needsSim: true,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/clock/run',
    summary:
      'Run the clock at a speed, at most to the end of the calendar. It slows down rather than skip events.',
    params: inWorld,
    body: record({
      speed: decimal({ places: 3 })
        .where(isSpeed, `speed: expected more than 0, up to ${SPEED_MAX}`)
        .about('1 is as fast as life.'),
    }).named('RunClock'),
    output: WorldClock,
    status: 200,
    errors: moving,
  }),
  advanceClock: operation({
    ...shared,
    needsSim: true,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/clock/advance',
    summary: 'Moves the clock; answers when all it caused is committed and sent.',
    params: inWorld,
    body: advance,
    output: Advanced,
    status: 200,
    errors: [...moving, 'instantInPast', 'advanceTooLong'],
  }),
  readAudit: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/audit',
    summary: 'Recomputes every balance from its postings and follows the chain of hashes.',
    params: inWorld,
    output: Audit,
    status: 200,
    errors: ['worldNotFound'],
  }),
  getJournalHead: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/journal',
    summary: 'Where its journal stands: what a copy of its files can be held against.',
    params: inWorld,
    output: JournalHead,
    status: 200,
    errors: ['worldNotFound'],
  }),
}

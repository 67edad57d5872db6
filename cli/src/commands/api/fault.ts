import {
  type EffectField,
  type FaultEvent,
  faultKinds,
  type MatchField,
  type OutputOf,
} from '@quipu/contract'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, type Flag, UsageError } from '../command.ts'
import { type Column, done, printList, printText } from '../output.ts'
import { commaSeparated, oneOfWords, wholeNumberValue } from '../values.ts'

type Fault = OutputOf<'createFault'>

/** The flag of a field. `flag` is its name, if not that of the field. */
type RuleFlag = Flag & { readonly flag?: string }

const list = (about: string): RuleFlag => ({ placeholder: 'LIST', about, value: commaSeparated })
const count = (about: string): RuleFlag => ({ placeholder: 'N', about, value: wholeNumberValue })

/** The conditions of a rule. The server checks which of them fit an effect. */
const matchFlags: Readonly<Record<MatchField, RuleFlag>> = {
  operation: list('Operations (placeOrder) or families (trading, data, …). Default: all.'),
  account: { placeholder: 'ID', about: 'Account. Default: every account.' },
  symbol: list('Symbols. Default: all.'),
  client_order_id: { placeholder: 'ID', about: 'Client order id.' },
  stream: list(
    'Streams: trade_updates, market_data, events (server-sent) or a path. Default: all but events.',
  ),
  message: { ...list('Types of stream messages: fill, quotes, bars, … Default: all.'), flag: 'type' },
  call: list('Calls to issuers and chains: mint, confirm, chain_mint, … Default: all.'),
  nth: count('First match to affect. Default: 1.'),
  next: count('Matches, from the first one on, that may be affected. Default: all.'),
  share: { placeholder: 'N', about: 'Share of matches, from 0 to 1. Needs --next or --times.' },
  times: count('Budget. Default: --next, else 1.'),
  from: { placeholder: 'TIME', about: 'Start, by the clock of the world. Default: now.' },
  to: { placeholder: 'TIME', about: 'End, by the clock of the world. Default: never.' },
}

/** The fields of an effect. */
const effectFlags: Readonly<Record<EffectField, RuleFlag>> = {
  status: count('Status of the error: 429, 500, …'),
  applied: { about: 'Apply the request before the effect.' },
  retry_after_seconds: count('Retry-After of a 429 or 503. Default: 1.'),
  message: { flag: 'text', placeholder: 'TEXT', about: 'Message of the error or close frame.' },
  ms: count('Milliseconds of a delay or a silence.'),
  min_ms: count('Shortest delay, drawn from the seed.'),
  max_ms: count('Longest delay, drawn from the seed.'),
  distribution: {
    placeholder: 'uniform|long_tail',
    about: 'Distribution of drawn delays. Default: uniform.',
    value: oneOfWords('uniform', 'long_tail'),
  },
  client_timeout_ms: count('Timeout of the client: the delay is half a second longer.'),
  code: count('Close code. Default: 1001.'),
  on: {
    placeholder: 'connection|message',
    about: 'close, silence, half_open: at once, or in place of a message. Default: connection.',
    value: oneOfWords('connection', 'message'),
  },
  by: count('reorder: later messages that are sent first. Default: 1.'),
  acknowledged: {
    flag: 'unacknowledged',
    about: 'lost_subscription: no acknowledgement either.',
    value: () => false,
  },
  as: {
    placeholder: 'wrong_credentials|connection_limit',
    about: 'refused_authentication: the error. Default: wrong_credentials.',
    value: oneOfWords('wrong_credentials', 'connection_limit'),
  },
}

const flagOf = (field: string, { flag = field.replaceAll('_', '-') }: RuleFlag): string => flag

const flags = Object.fromEntries(
  [matchFlags, effectFlags].flatMap((part) =>
    Object.entries(part).map(([field, rule]) => {
      const { flag: _, value: __, ...shown } = rule
      return [flagOf(field, rule), { ...shown, field: null }]
    }),
  ),
)

const groups: Readonly<Record<FaultEvent, string>> = {
  request: 'Requests',
  connection: 'Streams',
  message: 'Streams',
  subscription: 'Streams',
  authentication: 'Streams',
  market: 'Market data',
  call: 'Issuers and chains',
}

/** `Requests: status, delay, …. Streams: close, ….` */
const kindsByGroup = [...new Set(Object.values(groups))]
  .map((group) => {
    const kinds = Object.entries(faultKinds).filter(([, { on }]) => groups[on] === group)
    return `${group}: ${kinds.map(([kind]) => kind).join(', ')}.`
  })
  .join(' ')

export const faultCommands: readonly CliCommand[] = [
  calling('listFaults', {
    name: 'fault list',
    about: 'List the fault rules of a world with their counts.',
    example: 'quipu fault list --world friday',
    print: (context, rules) => printList(context, rules, faultTable, 'no fault rules'),
  }),
  calling('getFault', {
    name: 'fault show',
    about: 'Show a fault rule with its counts.',
    arguments: [{ name: 'ID', about: 'Number of the rule.', field: 'fault_id' }],
    example: 'quipu fault show 1 --world friday',
  }),
  calling('createFault', {
    name: 'fault create',
    about:
      'Create a fault rule: requests, stream messages or calls of a world that match it fail in one way, a limited number ' +
      'of times. docs/guides/faults.md describes every KIND.',
    arguments: [
      {
        name: 'KIND',
        about: kindsByGroup,
        field: null,
      },
    ],
    flags: { name: { placeholder: 'TEXT', about: 'Your name of the rule.' }, ...flags },
    otherFields: (context) => ({
      match: partOf(context, matchFlags),
      effect: { kind: context.args.get('KIND'), ...partOf(context, effectFlags) },
    }),
    example: 'quipu fault create status --status 429 --operation placeOrder --nth 3 --world friday',
  }),
  {
    name: 'fault delete',
    about: 'Delete a fault rule, or all of them with --all.',
    arguments: [{ name: 'ID', about: 'Number of the rule.', optional: true }],
    flags: { all: { about: 'Delete every fault rule of the world.' } },
    operations: ['deleteFault', 'deleteFaults'],
    example: 'quipu fault delete --all --world friday',
    run: deleteRules,
  },
]

/** The fields that the command line sets in one part of the rule. */
function partOf(context: CommandContext, part: Readonly<Record<string, RuleFlag>>): object {
  const fields = Object.entries(part).flatMap(([field, rule]) => {
    const flag = flagOf(field, rule)
    const text = context.args.get(flag)
    if (text === undefined) return []
    const { value, placeholder } = rule
    return [[field, value ? value(text, flag, context) : placeholder === undefined ? true : text] as const]
  })
  return Object.fromEntries(fields)
}

async function deleteRules(context: CommandContext) {
  const { args, config, operator } = context
  const id = args.get('ID')
  if ((id === undefined) !== args.has('all'))
    throw new UsageError('fault delete: expected the ID of a rule, or --all')
  const params = { world: config.world }
  if (id === undefined) {
    await operator().deleteFaults({ params })
    return printText(context, { world: config.world, deleted: true }, 'all fault rules are deleted')
  }
  await operator().deleteFault({ params: { ...params, fault_id: id } })
  return done('ID', 'deleted')(context)
}

const faultTable: readonly Column<Fault>[] = [
  ['ID', ({ id }) => id],
  ['KIND', ({ effect }) => effect.kind],
  ['MATCHED', ({ matched }) => matched, 'right'],
  ['CONSUMED', ({ consumed, times }) => `${consumed}/${times ?? 'any'}`, 'right'],
  ['MATCH', ({ match }) => termsOf(match), 12],
  ['EFFECT', ({ effect: { kind: _, ...fields } }) => termsOf(fields), 12],
  ['NAME', ({ name }) => name, 12],
]

const termsOf = (fields: object): string =>
  Object.entries(fields)
    .map(([field, value]) => `${field}=${String(value)}`)
    .join(' ')

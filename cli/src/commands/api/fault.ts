import type { OutputOf } from '@quipu/contract'
import { calling } from '../call.ts'
import { type Command, type Context, type Flag, UsageError } from '../command.ts'
import { type Column, done, printList, printRecord, printText } from '../output.ts'
import { commaSeparated, oneOf, wholeNumber } from '../values.ts'

type Fault = OutputOf<'createFault'>

/** A flag that is a field of `match` or `effect`. */
type RuleFlag = Flag & { readonly in: 'match' | 'effect'; readonly name?: string }

const list = (about: string, name?: string): RuleFlag => ({
  in: 'match',
  placeholder: 'LIST',
  about,
  value: commaSeparated,
  ...(name && { name }),
})
const count = (part: 'match' | 'effect', about: string): RuleFlag => ({
  in: part,
  placeholder: 'N',
  about,
  value: wholeNumber,
})

/** The fields of a rule. The server checks which of them fit an effect. */
const ruleFlags: Readonly<Record<string, RuleFlag>> = {
  operation: list('Operations (placeOrder) or families (trading, data, …). Default: all.'),
  account: { in: 'match', placeholder: 'ID', about: 'Account. Default: every account.' },
  symbol: list('Symbols. Default: all.'),
  'client-order-id': { in: 'match', placeholder: 'ID', about: 'Client order id.' },
  stream: list(
    'Streams: trade_updates, market_data, events (server-sent) or a path. Default: all but events.',
  ),
  type: list('Types of stream messages: fill, quotes, bars, … Default: all.', 'message'),
  call: list('Calls to issuers and chains: mint, confirm, chain_mint, … Default: all.'),
  nth: count('match', 'First match to affect. Default: 1.'),
  next: count('match', 'Matches, from the first one on, that may be affected. Default: all.'),
  share: { in: 'match', placeholder: 'N', about: 'Share of matches, from 0 to 1. Needs --next or --times.' },
  times: count('match', 'Budget. Default: --next, else 1.'),
  from: { in: 'match', placeholder: 'TIME', about: 'Start, by the clock of the world. Default: now.' },
  to: { in: 'match', placeholder: 'TIME', about: 'End, by the clock of the world. Default: never.' },
  status: count('effect', 'Status of the error: 429, 500, …'),
  applied: { in: 'effect', about: 'Apply the request before the effect.' },
  'retry-after-seconds': count('effect', 'Retry-After of a 429 or 503. Default: 1.'),
  text: { in: 'effect', name: 'message', placeholder: 'TEXT', about: 'Message of the error or close frame.' },
  ms: count('effect', 'Milliseconds of a delay or a silence.'),
  'min-ms': count('effect', 'Shortest delay, drawn from the seed.'),
  'max-ms': count('effect', 'Longest delay, drawn from the seed.'),
  distribution: {
    in: 'effect',
    placeholder: 'uniform|long_tail',
    about: 'Distribution of drawn delays. Default: uniform.',
    value: oneOf('uniform', 'long_tail'),
  },
  'client-timeout-ms': count('effect', 'Timeout of the client: the delay is half a second longer.'),
  code: count('effect', 'Close code. Default: 1001.'),
  on: {
    in: 'effect',
    placeholder: 'connection|message',
    about: 'close, silence, half_open: at once, or in place of a message. Default: connection.',
    value: oneOf('connection', 'message'),
  },
  by: count('effect', 'reorder: later messages that are sent first. Default: 1.'),
  unacknowledged: {
    in: 'effect',
    name: 'acknowledged',
    about: 'lost_subscription: no acknowledgement either.',
    value: () => false,
  },
  as: {
    in: 'effect',
    placeholder: 'wrong_credentials|connection_limit',
    about: 'refused_authentication: the error. Default: wrong_credentials.',
    value: oneOf('wrong_credentials', 'connection_limit'),
  },
}

const flags = Object.fromEntries(
  Object.entries(ruleFlags).map(([name, { in: _, name: __, value: ___, ...flag }]) => [
    name,
    { ...flag, field: null },
  ]),
)

export const faultCommands: readonly Command[] = [
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
    print: printRecord,
  }),
  calling('createFault', {
    name: 'fault create',
    about:
      'Create a fault rule: requests, stream messages or calls of a world that match it fail in one way, a limited number ' +
      'of times. docs/guides/faults.md describes every KIND.',
    arguments: [
      {
        name: 'KIND',
        about:
          'Requests: status, delay, request_lost, answer_lost, reset, truncated. Streams: close, silence, half_open, slow, ' +
          'duplicate, reorder, drop, lost_subscription, refused_authentication. Market data: outage, stale_quotes. ' +
          'Issuers and chains: call_refused, call_delayed, call_failed, call_answer_lost.',
        field: null,
      },
    ],
    flags: { name: { placeholder: 'TEXT', about: 'Your name of the rule.' }, ...flags },
    otherFields: (context) => ({
      match: partOf(context, 'match'),
      effect: { kind: context.args.get('KIND'), ...partOf(context, 'effect') },
    }),
    example: 'quipu fault create status --status 429 --operation placeOrder --nth 3 --world friday',
    print: printRecord,
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

/** The fields of a part of the rule that the command line sets. */
function partOf(context: Context, part: RuleFlag['in']): object {
  const fields = Object.entries(ruleFlags).flatMap(([flag, { in: place, name, value, placeholder }]) => {
    const text = context.args.get(flag)
    if (text === undefined || place !== part) return []
    const read = value ? value(text, flag, context) : placeholder === undefined ? true : text
    return [[name ?? flag.replaceAll('-', '_'), read] as const]
  })
  return Object.fromEntries(fields)
}

async function deleteRules(context: Context) {
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

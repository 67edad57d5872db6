import {
  closedRecord,
  namesIn,
  oneOf,
  optional,
  type Problem,
  record,
  text,
  withDefault,
} from '../../shape/index.ts'
import { effectFields, FaultMatch, faultStatuses } from './fault-fields.ts'
import {
  type FaultEffectOf,
  type FaultEvent,
  type FaultKind,
  type FaultKindName,
  faultKinds,
} from './fault-kinds.table.ts'

const counting = ['nth', 'next', 'share', 'times', 'from', 'to'] as const

/** The fields of `match` that fit each event. */
const matchFieldsOf: Readonly<Record<FaultEvent, readonly string[]>> = {
  request: ['operation', 'account', 'symbol', 'client_order_id', ...counting],
  // A connection meets its rules when they are created and when it authenticates, not at an instant.
  connection: ['stream', 'account', 'nth', 'next', 'share', 'times'],
  message: ['stream', 'account', 'symbol', 'client_order_id', 'message', ...counting],
  subscription: ['stream', 'account', 'symbol', ...counting],
  authentication: ['stream', 'account', ...counting],
  market: ['symbol', ...counting],
  call: ['call', 'account', 'symbol', ...counting],
}

export const FaultEffect = record({
  kind: oneOf(...namesIn(faultKinds)).about(
    Object.entries(faultKinds)
      .map(([kind, { about }]) => `${kind}: ${about}`)
      .join(' '),
  ),
  ...effectFields,
}).named('FaultEffect')

const draftWith = (match: typeof FaultMatch) =>
  record({
    name: optional(text({ min: 1, max: 100 })).about('Your name of the rule.'),
    match: withDefault(closedRecord(match), {}),
    effect: closedRecord(FaultEffect),
  })

type Draft = Parameters<Parameters<ReturnType<typeof draftWith>['refine']>[0]>[0]
type Effect = Draft['effect']

const newFault = (match: typeof FaultMatch, name: string) =>
  closedRecord(
    draftWith(match)
      .refine(({ effect }) =>
        unfitting('effect', effect, ['kind', ...faultKinds[effect.kind].fields], effect),
      )
      .refine(({ match, effect }) => unfitting('match', match, matchFieldsOf[faultEventOf(effect)], effect))
      .refine(({ match }) => countingProblem(match))
      .refine(({ effect }) => effectProblem(effect))
      .named(name),
  )

export const NewFault = newFault(FaultMatch, 'NewFault')

const namedAccount = text({
  pattern: /^[a-z0-9][a-z0-9_-]{0,39}$/,
  expected: 'the name or id of an account',
  example: 'trader',
})

/** A fault rule of a scenario, which knows the names of its accounts and not their ids. */
export const ScenarioFault = newFault(
  record({
    ...FaultMatch.fields,
    account: optional(namedAccount).about(
      'Name of an account of the scenario, or its id. Default: every account.',
    ),
  }).named('ScenarioFaultMatch'),
  'ScenarioFault',
)

/** What a rule with this effect is matched against. */
export const faultEventOf = ({ kind, on }: Pick<Effect, 'kind' | 'on'>): FaultEvent =>
  on === 'message' ? 'message' : faultKinds[kind].on

/** An effect with its defaults. It has passed the checks of `NewFault`, so that it has the fields of its kind. */
export function completeEffect({ on: _, ...effect }: Effect): FaultEffectOf<FaultKindName> {
  const { kind, ...fields } = effect
  const { defaults }: FaultKind = faultKinds[kind]
  const drawn = fields.min_ms === undefined ? {} : { distribution: 'uniform' }
  return { kind, ...defaults, ...drawn, ...fields } as FaultEffectOf<FaultKindName>
}

const problem = (field: string, text: string): Problem => ({ field, message: `${field}: ${text}` })

function unfitting(
  part: string,
  fields: object,
  allowed: readonly string[],
  { kind }: Effect,
): Problem | undefined {
  const name = Object.keys(fields).find((field) => !allowed.includes(field))
  if (name === undefined) return undefined
  const expected = allowed.filter((field) => field !== 'kind').join(', ') || 'none'
  return problem(`${part}.${name}`, `not a field of the effect ${kind}; expected ${expected}`)
}

function countingProblem({ share, next, times, from, to }: Draft['match']): Problem | undefined {
  if (from !== undefined && to !== undefined && to.nanos <= from.nanos)
    return problem('match.to', 'expected an instant after match.from')
  if (share === undefined) return undefined
  if (Number(share) <= 0 || Number(share) > 1)
    return problem('match.share', `expected a share above 0 and at most 1, received ${share}`)
  return next === undefined && times === undefined
    ? problem('match.times', 'required with share, because every rule has a budget; or set match.next')
    : undefined
}

function effectProblem(effect: Effect): Problem | undefined {
  const { kind, status, applied, code } = effect
  const { fields, required = [] }: FaultKind = faultKinds[kind]
  const missing = required.find((field) => effect[field] === undefined)
  if (missing !== undefined) return problem(`effect.${missing}`, `required for kind ${kind}`)
  if (status !== undefined && !(faultStatuses as readonly number[]).includes(status))
    return problem('effect.status', `expected one of ${faultStatuses.join(', ')}, received ${status}`)
  if (applied && status !== undefined && status < 500 && status !== 408)
    return problem('effect.applied', `a request that gets ${status} is never applied; use a 5xx or 408`)
  if (code !== undefined && !isSendable(code))
    return problem('effect.code', `expected a close code of RFC 6455 that can be sent, received ${code}`)
  return fields.includes('distribution') ? delayProblem(effect) : undefined
}

/** 1004, 1005, 1006 and 1015 are reserved and never sent. */
const isSendable = (code: number): boolean =>
  code >= 3000 || (code <= 1014 && ![1004, 1005, 1006].includes(code))

/** A delay is fixed, drawn between two bounds, or just over the timeout of the client. */
function delayProblem({
  kind,
  ms,
  min_ms,
  max_ms,
  client_timeout_ms,
  distribution,
}: Effect): Problem | undefined {
  const isDrawn = min_ms !== undefined || max_ms !== undefined
  const used = [ms !== undefined, isDrawn, client_timeout_ms !== undefined].filter(Boolean).length
  const { fields }: FaultKind = faultKinds[kind]
  const choice = fields.includes('client_timeout_ms')
    ? 'ms, min_ms with max_ms, or client_timeout_ms'
    : 'ms, or min_ms with max_ms'
  if (used !== 1) return problem('effect.ms', `expected one of: ${choice}`)
  if (!isDrawn)
    return distribution === undefined ? undefined : problem('effect.distribution', 'needs min_ms and max_ms')
  if (min_ms === undefined) return problem('effect.min_ms', 'required with max_ms')
  if (max_ms === undefined) return problem('effect.max_ms', 'required with min_ms')
  return max_ms < min_ms ? problem('effect.max_ms', 'expected at least min_ms') : undefined
}

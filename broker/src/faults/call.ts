import { setTimeout as sleep } from 'node:timers/promises'
import type { Command, Instant, Job, JobKind, View } from '@quipu/core'
import { delayMs, type Effect, type KindOf } from './effect.ts'
import type { Faults } from './faults.ts'

type CallKind = KindOf<'call'>

/** A call to an issuer or a chain. If it rejects, it is retried later. */
type FaultyCall = {
  readonly make: () => Promise<Command | undefined>
  /** The response of an issuer that refuses; undefined for a call that cannot be refused. */
  readonly refuse: (reason: string) => Command | undefined
}

type CallEffect<One extends CallKind> = {
  readonly apply: (call: FaultyCall, effect: Effect<One>, draw: number) => Promise<Command | undefined>
  /** The calls that can have the effect; undefined: all. */
  readonly calls: readonly JobKind[] | undefined
}

type CallEffects = { readonly [One in CallKind]: CallEffect<One> }

type Refusal = { readonly ok: false; readonly reason: string }
type RefuseJob = (job: Job, response: Refusal, until: Instant) => Command | undefined

/** The responses of an issuer that refuses. The other calls cannot be refused. */
const refusals: Readonly<Record<JobKind, RefuseJob | undefined>> = {
  issuerMint: ({ requestId }, response) => requestId && { kind: 'answerMint', requestId, response },
  issuerCustody: ({ requestId }, response, until) =>
    requestId && { kind: 'answerCustody', requestId, response, until },
  issuerConfirm: ({ requestId }, response) => requestId && { kind: 'answerConfirm', requestId, response },
  issuerConnect: ({ accountId, issuer }, response) =>
    issuer && { kind: 'answerLink', accountId, issuer, response },
  issuerReject: undefined,
  chainMint: undefined,
  askWorld: undefined,
}

/** The effects on a call to an issuer or a chain. */
const callEffects = {
  callRefused: {
    apply: async ({ refuse }, { message }) => refuse(message),
    calls: (Object.keys(refusals) as JobKind[]).filter((kind) => refusals[kind] !== undefined),
  },
  callDelayed: {
    async apply({ make }, effect, draw) {
      await sleep(delayMs(effect, draw), undefined, { ref: false })
      return make()
    },
    calls: undefined,
  },
  callFailed: {
    apply: (_, { message }) => Promise.reject(new Error(message)),
    calls: undefined,
  },
  callAnswerLost: {
    async apply({ make }) {
      await make()
      throw new Error('the response was lost')
    },
    calls: undefined,
  },
} satisfies CallEffects

/** The calls that can have an effect; undefined if it affects all calls, or no calls. */
export const affectedCalls = ({ kind }: Effect): readonly JobKind[] | undefined =>
  Object.hasOwn(callEffects, kind) ? callEffects[kind as CallKind].calls : undefined

/** The parts of a world that rules are matched against. */
type CallingWorld = { readonly view: View; readonly clock: { now(): Instant } }

/** Makes the call of a job in a world with fault rules. */
export async function callWithFaults(
  faults: Faults,
  { view, clock }: CallingWorld,
  job: Job,
  make: FaultyCall['make'],
): Promise<Command | undefined> {
  const request = job.requestId && view.requests.get(job.requestId)
  const fault = faults.meet('call', {
    now: () => clock.now(),
    call: job.kind,
    accountId: job.accountId,
    symbols: request ? [request.underlying] : [],
  })
  if (fault === undefined) return make()
  const refuse = (reason: string) => refusals[job.kind]?.(job, { ok: false, reason }, view.lastAt)
  return applyKind({ make, refuse }, fault.effect.kind, fault.effect, fault.draw)
}

function applyKind<One extends CallKind>(
  call: FaultyCall,
  kind: One,
  effect: Effect<One>,
  draw: number,
): Promise<Command | undefined> {
  const effects: CallEffects = callEffects
  return effects[kind].apply(call, effect, draw)
}
